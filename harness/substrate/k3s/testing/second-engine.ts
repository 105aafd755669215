import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { Authority } from '../../../pki/authority.ts';

const ANSWERS_WITHIN_MS = 180_000;
const ENDS_WITHIN_MS = 60_000;

export interface SecondEngineOptions {
  /** Listens on TCP with TLS too, and knows clients by their certificates. */
  readonly tls?: boolean;
  /** Sees so large a disk and no more. */
  readonly diskBytes?: number;
  /** Runs containers with networks, in a network namespace of its own: two Engines would undo each other's rules in one. */
  readonly isolated?: boolean;
}

/** Why there can be none on this machine, or false. */
export function whyNoSecondEngine(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a second Engine needs root on Linux';
  const has = (program: string) => ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/sbin', '/bin'].some((folder) => existsSync(join(folder, program)));
  const missing = ['docker', 'dockerd', 'containerd', 'nsenter', 'unshare', 'ip'].filter((program) => !has(program));
  return missing.length === 0 ? false : `a second Engine needs ${missing.join(', ')}`;
}

/** With an address of the block that is set aside for tests of networks (RFC 2544). */
function makeBridge(): string {
  const name = `ql3e-${randomBytes(4).toString('hex')}`;
  execFileSync('ip', ['link', 'add', name, 'type', 'bridge']);
  execFileSync('ip', ['address', 'add', `198.18.${randomInt(256)}.1/24`, 'dev', name]);
  return name;
}

/** A Docker Engine of the test's own, beside the machine's: what is done to it is done to nobody else. */
export class SecondEngine implements AsyncDisposable {
  readonly folder: string;
  readonly socket: string;
  /** ca.pem, cert.pem and key.pem of a client. */
  readonly certificates: string;
  readonly docker: Docker;
  tcpPort = 0;
  readonly #options: SecondEngineOptions;
  readonly #namespace: ChildProcess | undefined;
  /** Where it shares the machine's network; one that is to have none removes `docker0`, which is the machine's own Engine's. */
  readonly #bridge: string | undefined;
  #daemon: ChildProcess | undefined;
  #said = '';

  private constructor(options: SecondEngineOptions) {
    this.#options = options;
    this.folder = mkdtempSync(join(tmpdir(), 'ql3-engine-'));
    this.socket = join(this.folder, 'docker.sock');
    this.certificates = join(this.folder, 'client');
    this.docker = new Docker({ socketPath: this.socket });
    for (const name of ['data', 'exec', 'client', 'server', 'config']) mkdirSync(join(this.folder, name));
    if (options.diskBytes !== undefined) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${options.diskBytes}`, 'tmpfs', join(this.folder, 'data')]);
    // its only purpose is to hold the namespace while the Engine is away
    if (options.isolated === true) this.#namespace = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo up && exec sleep infinity'], { stdio: ['ignore', 'pipe', 'ignore'] });
    else this.#bridge = makeBridge();
  }

  static async start(options: SecondEngineOptions = {}): Promise<SecondEngine> {
    const engine = new SecondEngine(options);
    try {
      await engine.#untilIsolated();
      if (options.tls === true) await engine.#makeCertificates();
      await engine.launch();
      return engine;
    } catch (error) {
      await engine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** To be put before a command that is to reach what the Engine publishes. */
  get entrance(): readonly string[] {
    return this.#namespace === undefined ? [] : ['nsenter', `--net=/proc/${this.#namespace.pid}/ns/net`];
  }

  /** Until it has left it, its process shows the machine's own namespace, and whoever entered that would be in the machine's. */
  async #untilIsolated(): Promise<void> {
    const said = this.#namespace?.stdout;
    if (said === undefined || said === null) return;
    for await (const line of createInterface({ input: said })) if (line === 'up') return;
    throw new Error('expected a network namespace for a second Engine, it could not be made');
  }

  async launch(): Promise<void> {
    const { folder } = this;
    const server = (name: string) => join(folder, 'server', name);
    const options = [
      `--data-root=${join(folder, 'data')}`, `--exec-root=${join(folder, 'exec')}`, `--pidfile=${join(folder, 'pid')}`, `--config-file=${join(folder, 'config', 'daemon.json')}`, `--host=unix://${this.socket}`,
      ...(this.#options.tls === true ? [`--host=tcp://127.0.0.1:${this.tcpPort}`, '--tlsverify', `--tlscacert=${server('ca.pem')}`, `--tlscert=${server('cert.pem')}`, `--tlskey=${server('key.pem')}`] : []),
      ...(this.#bridge === undefined ? [] : [`--bridge=${this.#bridge}`, '--iptables=false', '--ip6tables=false']),
    ];
    writeFileSync(join(folder, 'config', 'daemon.json'), '{}');
    const [program = '', ...args] = [...this.entrance, 'dockerd', ...options];
    const daemon = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#daemon = daemon;
    daemon.stderr?.on('data', (chunk: Buffer) => (this.#said = `${this.#said}${chunk.toString()}`.slice(-4_000)));
    await this.#untilAnswers(daemon);
  }

  /** Copies images from the machine's own Engine. */
  async copyImages(names: readonly string[]): Promise<void> {
    const save = spawn('docker', ['save', ...names], { stdio: ['ignore', 'pipe', 'inherit'] });
    const load = spawn('docker', ['--host', `unix://${this.socket}`, 'load', '--quiet'], { stdio: [save.stdout, 'ignore', 'inherit'] });
    const [code] = (await once(load, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`expected ${names.join(', ')} to be copied to the second Engine, docker load ended with ${code}`);
  }

  /** As a service manager does: the containers end with it. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    if (daemon === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const exited = once(daemon, 'exit');
    daemon.kill(signal);
    await Promise.race([exited, delay(ENDS_WITHIN_MS, undefined, { ref: false }).then(() => daemon.kill('SIGKILL'))]);
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGTERM');
    this.#killContainerd();
    this.#namespace?.kill('SIGKILL');
    if (this.#bridge !== undefined) execFileSync('ip', ['link', 'delete', this.#bridge]);
    for (const mount of mountsBelow(this.folder)) execFileSync('umount', ['--lazy', mount]);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A daemon that ended by itself leaves it behind. */
  #killContainerd(): void {
    try {
      process.kill(Number(readFileSync(join(this.folder, 'exec', 'containerd', 'containerd.pid'), 'utf8')), 'SIGKILL');
    } catch {
      // it ended with its daemon
    }
  }

  /** An Engine tells nobody when it begins to answer. */
  async #untilAnswers(daemon: ChildProcess): Promise<void> {
    const deadlineAt = performance.now() + ANSWERS_WITHIN_MS;
    for (;;) {
      if (await this.docker.ping().then(() => true, () => false)) return;
      if (daemon.exitCode !== null || performance.now() > deadlineAt) throw new Error(`expected a second Engine to answer, its last words:\n${this.#said}`);
      await delay(100);
    }
  }

  async #makeCertificates(): Promise<void> {
    this.tcpPort = await freePort();
    const authority = await Authority.create('ql3 second engine');
    const [server, client] = await Promise.all([authority.issueServer('localhost', { dns: ['localhost'], ip: ['127.0.0.1'] }), authority.issueClient('ql3 test')]);
    for (const [name, identity] of [['server', server], ['client', client]] as const) {
      writeFileSync(join(this.folder, name, 'ca.pem'), authority.certificatePem);
      writeFileSync(join(this.folder, name, 'cert.pem'), identity.certificatePem);
      writeFileSync(join(this.folder, name, 'key.pem'), identity.privateKeyPem, { mode: 0o600 });
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Innermost first. */
function mountsBelow(folder: string): string[] {
  return readFileSync('/proc/self/mounts', 'utf8').split('\n').map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${folder}/`)).sort().reverse();
}
