import { randomBytes, randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SUPERUSER, initialiseCluster, serverSettings, type ServerTls } from './local-server-cluster.ts';
import { LocalPostgresError } from './local-server-error.ts';
import { prepareHome, removeHome, type ServerHome } from './local-server-home.ts';
import { spawnServer, type ServerProcess } from './local-server-process.ts';
import { waitForServer } from './local-server-readiness.ts';

export { LocalPostgresError, type ServerTls };

export interface LocalPostgresOptions {
  /** Holds the server's log, and its data where the server's account can enter the folder. */
  readonly directory: string;
  /** With a certificate the server accepts TLS connections alone. */
  readonly tls?: ServerTls;
  /** Whose server it is, where it is a run's: by it `clean` finds the folder that a killed run has left. */
  readonly runId?: string;
  /** Ends the making of the data folder, which is the longest part of a start. */
  readonly signal?: AbortSignal;
}

export interface LocalPostgres {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly superuser: { readonly user: string; readonly password: string };
  readonly tls: boolean;
  readonly logFile: string;
  /** Resolves with its exit code when the server has ended though nobody here asked for it. */
  readonly lost: Promise<number | null>;
  /** Crashes the server (`crash`) or shuts it down (`shutdown`) and keeps its data. */
  interrupt(how: 'crash' | 'shutdown'): Promise<void>;
  /** Starts an interrupted server again, on the same port and with the same data. */
  resume(): Promise<void>;
  /** Ends the server and removes its data. May be called again. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PORT_ATTEMPTS = 5;
/** Below those that Linux gives out by itself (from 32768 on), so that nobody is given the port of an interrupted server. */
const [LOWEST_PORT, HIGHEST_PORT] = [20_000, 29_999];

/** A real PostgreSQL on a free port of 127.0.0.1, that ends with this process however this process ends. */
export async function startLocalPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  const home = await prepareHome(options.directory, options.runId ?? null);
  const password = randomBytes(24).toString('base64url');
  const logFile = join(options.directory, 'postgres.log');
  try {
    await initialiseCluster(home, password, options.tls, options.signal);
    const { port, server } = await startOnFreePort(home, options.tls, logFile);
    return new RunningPostgres(home, options.tls, logFile, port, password, server);
  } catch (error) {
    await removeHome(home);
    throw error;
  }
}

class RunningPostgres implements LocalPostgres {
  readonly host = '127.0.0.1';
  readonly port: number;
  readonly superuser: { readonly user: string; readonly password: string };
  readonly tls: boolean;
  readonly logFile: string;
  readonly #home: ServerHome;
  readonly #certificate: ServerTls | undefined;
  readonly #lost = Promise.withResolvers<number | null>();
  #server: ServerProcess | null = null;

  constructor(
    home: ServerHome,
    certificate: ServerTls | undefined,
    logFile: string,
    port: number,
    password: string,
    server: ServerProcess,
  ) {
    this.#home = home;
    this.#certificate = certificate;
    this.logFile = logFile;
    this.port = port;
    this.superuser = { user: SUPERUSER, password };
    this.tls = certificate !== undefined;
    this.#watch(server);
  }

  get lost(): Promise<number | null> {
    return this.#lost.promise;
  }

  async interrupt(how: 'crash' | 'shutdown'): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await server?.end(how === 'crash' ? 'QUIT' : 'INT');
  }

  async resume(): Promise<void> {
    if (this.#server !== null) {
      throw new LocalPostgresError('QL3_LOCAL_POSTGRES_STATE', 'expected an interrupted server, this one runs; interrupt it first');
    }
    this.#watch(await startOn(this.port, this.#home, this.#certificate, this.logFile));
  }

  #watch(server: ServerProcess): void {
    this.#server = server;
    void server.exited.then((code) => {
      if (this.#server === server) this.#lost.resolve(code);
    });
  }

  async stop(): Promise<void> {
    await this.interrupt('shutdown');
    await removeHome(this.#home);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

// PostgreSQL cannot choose a port itself. Between finding a free one and binding it, somebody may take it: find another.
async function startOnFreePort(
  home: ServerHome,
  tls: ServerTls | undefined,
  logFile: string,
): Promise<{ port: number; server: ServerProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { port, server: await startOn(port, home, tls, logFile) };
    } catch (error) {
      const taken = error instanceof LocalPostgresError && error.message.includes('could not bind IPv4 address');
      if (!taken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOn(
  port: number,
  home: ServerHome,
  tls: ServerTls | undefined,
  logFile: string,
): Promise<ServerProcess> {
  // A crashed server leaves its status file, which may still say that it is ready.
  await rm(join(home.dataDirectory, 'postmaster.pid'), { force: true });
  const server = spawnServer(home, serverSettings(port, tls), logFile);
  try {
    await waitForServer(server, home.dataDirectory, logFile);
    return server;
  } catch (error) {
    await server.end('QUIT');
    throw error;
  }
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  probe.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
  probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  return await promise;
}
