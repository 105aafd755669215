import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';

/** What an Engine of today answers that has nothing against a run; tests change one thing of it. */
const FIT = {
  version: { Version: '28.0.0', ApiVersion: '1.48' },
  info: {
    OSType: 'linux', Architecture: 'x86_64', KernelVersion: release(), CgroupVersion: '2', CgroupDriver: 'systemd', DockerRootDir: tmpdir(), Driver: 'overlay2',
    MemTotal: 8 * 1024 ** 3, NCPU: 2, SystemTime: new Date().toISOString(), SecurityOptions: ['name=seccomp,profile=builtin', 'name=cgroupns'], Plugins: { Authorization: null },
  },
};

export interface Stage {
  readonly version?: Partial<typeof FIT.version>;
  readonly info?: Readonly<Record<string, unknown>>;
  /** Local images: what is inspected under another name is not there. */
  readonly images?: Readonly<Record<string, { readonly RepoDigests: readonly string[] }>>;
  /** Why the registry cannot be reached. */
  readonly unreachable?: string;
  /** Takes requests, and never answers. */
  readonly hangs?: boolean;
}

/** A server that answers on a socket as an Engine would of which one thing is not as it should be. */
export class StagedEngine implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ql3-staged-'));
  readonly #server: Server;

  private constructor(stage: Stage) {
    this.#server = createServer((request, response) => {
      if (stage.hangs === true) return;
      const { status, body } = answerTo(decodeURIComponent(request.url ?? ''), stage);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  static async start(stage: Stage = {}): Promise<StagedEngine> {
    const engine = new StagedEngine(stage);
    engine.#server.listen(join(engine.#folder, 'docker.sock'));
    await once(engine.#server, 'listening');
    return engine;
  }

  get host(): string {
    return `unix://${join(this.#folder, 'docker.sock')}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
    rmSync(this.#folder, { recursive: true });
  }
}

function answerTo(url: string, { version, info, images = {}, unreachable }: Stage): { readonly status: number; readonly body: unknown } {
  const path = url.replace(/^\/v[\d.]+/, '').split('?')[0] ?? '';
  if (path === '/version') return { status: 200, body: { ...FIT.version, ...version } };
  if (path === '/info') return { status: 200, body: { ...FIT.info, ...info } };
  if (path.startsWith('/distribution/')) return unreachable === undefined ? { status: 200, body: {} } : { status: 500, body: { message: unreachable } };
  const image = /^\/images\/(.+)\/json$/.exec(path)?.[1];
  if (image !== undefined) return Object.hasOwn(images, image) ? { status: 200, body: { Id: 'sha256:1', Architecture: 'amd64', Size: 1, ...images[image] } } : { status: 404, body: { message: `No such image: ${image}` } };
  return { status: 200, body: path === '/volumes' ? { Volumes: [] } : [] };
}
