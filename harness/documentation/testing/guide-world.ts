import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Authority } from '../../pki/authority.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const READY_WITHIN_MS = 300_000;
const POLL_MS = 500;
/** Addresses that the database may get in a fresh network; its certificate names them all. */
const ADDRESSES = 20;

export interface GuideImages {
  readonly cluster: string;
  readonly database: string;
  readonly node: string;
}

/** A cluster and a PostgreSQL with TLS, such as an operator has before the guide begins. */
export interface GuideWorld extends AsyncDisposable {
  /** What the guide's first block is replaced by. */
  readonly settings: string;
  /** What takes the place of `docker push`: this cluster has no registry. */
  readonly push: string;
  run(script: string): Promise<{ readonly output: string; readonly exitCode: number | null }>;
}

export async function startGuideWorld(images: GuideImages): Promise<GuideWorld> {
  const id = `ql3-guide-${randomBytes(4).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'ql3-guide-'));
  const names = { network: id, cluster: `${id}-cluster`, database: `${id}-postgres` };
  const prefix = `${id}/`;
  const dispose = async (): Promise<void> => {
    await docker('rm', '-f', '-v', names.cluster, names.database).catch(() => undefined);
    await docker('network', 'rm', names.network).catch(() => undefined);
    const built = (await docker('images', '-q', `${prefix}*`)).split('\n').filter((image) => image !== '');
    if (built.length > 0) await docker('rmi', '-f', ...built);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await docker('network', 'create', names.network);
    const [kubeconfig, address] = await Promise.all([startCluster(names, images.cluster, folder), startDatabase(names, images.database, folder)]);
    return {
      settings: exports({
        DEPLOY: join(folder, 'deploy'),
        NODE_IMAGE: images.node,
        IMAGE_PREFIX: prefix,
        POSTGRES_ADDRESS: address,
        POSTGRES_DATABASE: 'qinglong3',
        POSTGRES_SUPERUSER: 'postgres',
        POSTGRES_CA: join(folder, 'postgres-ca.crt'),
        POSTGRES_SUPERUSER_PASSWORD_FILE: join(folder, 'password'),
        CLUSTER_IDENTITY: await labelable(),
        WORKER_ID: 'ql3-worker-1',
        PROJECT: 'cluster-authority',
        REQUESTER: 'anna',
        DECIDER: 'bela',
        KUBECONFIG: kubeconfig,
      }),
      push: `for name in ql3-worker ql3-cluster-control ql3-cluster-admin; do docker save "\${IMAGE_PREFIX}$name:$VERSION" | docker exec -i ${names.cluster} ctr images import -; done`,
      run: (script) => runScript(script),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** One digest in 32 is no label; the guide says so to people, and here it must not be chance. */
async function labelable(): Promise<string> {
  const { deploymentTargetDigest } = await import('../../../images/cluster-admin/src/index.ts');
  for (let counter = 0; ; counter += 1) {
    const clusterIdentity = `guide/${counter}`;
    const digest = deploymentTargetDigest({ clusterIdentity, stageNamespace: 'ql3-worker-stage', namespace: 'ql3-worker', targetSecretName: 'ql3-worker-credential', targetDeploymentName: 'ql3-worker', targetDataKey: 'credential-token' });
    if (/^[A-Za-z0-9]/.test(Buffer.from(digest, 'hex').toString('base64url'))) return clusterIdentity;
  }
}

async function startCluster(names: { network: string; cluster: string }, image: string, folder: string): Promise<string> {
  await docker('run', '-d', '--privileged', '--name', names.cluster, '--network', names.network, '-p', '127.0.0.1::6443', image, 'server', '--disable=traefik', '--disable=servicelb', '--tls-san=127.0.0.1', '--write-kubeconfig-mode=600');
  await until('the cluster to be ready', async () => (await docker('exec', names.cluster, 'kubectl', 'get', '--raw=/readyz')).includes('ok'));
  await until('a node to be ready', async () => / Ready /.test(await docker('exec', names.cluster, 'kubectl', 'get', 'nodes', '--no-headers')));
  const port = (await docker('port', names.cluster, '6443/tcp')).split('\n')[0]?.split(':').at(-1)?.trim();
  const config = await docker('exec', names.cluster, 'cat', '/etc/rancher/k3s/k3s.yaml');
  const path = join(folder, 'kubeconfig');
  await writeFile(path, config.replace('127.0.0.1:6443', `127.0.0.1:${port}`), { mode: 0o600 });
  return path;
}

async function startDatabase(names: { network: string; database: string }, image: string, folder: string): Promise<string> {
  const subnet = (await docker('network', 'inspect', '-f', '{{(index .IPAM.Config 0).Subnet}}', names.network)).trim().split('/')[0] as string;
  const authority = await Authority.create('guide postgres');
  const ip = Array.from({ length: ADDRESSES }, (_, index) => subnet.replace(/\d+$/, String(index + 2)));
  const { certificatePem, privateKeyPem } = await authority.issueServer('guide postgres', { dns: ['localhost'], ip });
  const password = randomBytes(24).toString('base64url');
  const server = join(folder, 'ql3');
  await mkdir(server);
  await writeFile(join(server, 'server.crt'), certificatePem);
  await writeFile(join(server, 'server.key'), privateKeyPem);
  await chmod(join(server, 'server.key'), 0o400);
  await writeFile(join(folder, 'postgres-ca.crt'), authority.certificatePem);
  await writeFile(join(folder, 'password'), password, { mode: 0o600 });
  await docker('create', '--name', names.database, '--network', names.network, '-e', `POSTGRES_PASSWORD=${password}`, '-e', 'POSTGRES_DB=qinglong3', image, 'postgres', '-c', 'ssl=on', '-c', 'ssl_cert_file=/etc/ql3/server.crt', '-c', 'ssl_key_file=/etc/ql3/server.key', '-c', 'password_encryption=scram-sha-256');
  await promisify(execFile)('bash', ['-c', `tar -c --owner=999 --group=999 -C "${folder}" ql3 | docker cp - ${names.database}:/etc/`]);
  await docker('start', names.database);
  const address = (await docker('inspect', '-f', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', names.database)).trim();
  const target = `host=${address} user=postgres dbname=qinglong3 sslmode=verify-full sslrootcert=${join(folder, 'postgres-ca.crt')}`;
  await until('PostgreSQL to accept a login over TLS', async () => (await promisify(execFile)('psql', ['-Atc', 'SELECT 1', target], { env: { ...process.env, PGPASSWORD: password } })).stdout.trim() === '1');
  return address;
}

async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('docker', [...args], { maxBuffer: 1 << 24 });
  return stdout;
}

async function until(expected: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (let last: unknown = null; ; ) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`expected ${expected} within ${READY_WITHIN_MS} ms`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function exports(values: Readonly<Record<string, string>>): string {
  return Object.entries(values).map(([name, value]) => `export ${name}='${value}'`).join('\n');
}

/** In the repository's root, as the guide says, with the Node.js that runs the tests. */
function runScript(script: string): Promise<{ output: string; exitCode: number | null }> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` } });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', (exitCode) => resolve({ output: Buffer.concat(chunks).toString('utf8'), exitCode }));
  });
}
