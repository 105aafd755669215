import { release } from 'node:os';
import type { DockerConnection } from '../substrate/k3s/docker-connection.ts';
import { skipped, type Examination, type Finding } from './check.ts';

/** As the Engine tells it (Docker Engine API, `GET /info`). */
export interface EngineInfo {
  readonly OSType: string;
  readonly Architecture: string;
  readonly KernelVersion: string;
  readonly CgroupVersion?: string;
  readonly CgroupDriver: string;
  readonly DockerRootDir: string;
  readonly Driver: string;
  readonly MemTotal: number;
  readonly NCPU: number;
  readonly SystemTime: string;
  readonly SecurityOptions?: readonly string[];
  readonly Plugins?: { readonly Authorization?: readonly string[] | null };
}

export interface Engine {
  readonly connection: DockerConnection;
  readonly info: EngineInfo;
  /** The middle of the time in which the Engine was asked, milliseconds since the epoch: its clock is compared with this one. */
  readonly askedAtMs: number;
}

export async function askEngine(connection: DockerConnection, signal: AbortSignal): Promise<Engine> {
  const startedAtMs = Date.now();
  const info = await (connection.docker as unknown as { info(options: { abortSignal: AbortSignal }): Promise<EngineInfo> }).info({ abortSignal: signal });
  return { connection, info, askedAtMs: (startedAtMs + Date.now()) / 2 };
}

export function hasSecurityOption({ SecurityOptions = [] }: EngineInfo, option: string): boolean {
  return SecurityOptions.some((entry) => entry.split(',').includes(`name=${option}`));
}

/** Whether the Engine's containers run on this machine's kernel; Docker Desktop and its like have a machine of their own. */
export function sharesKernel({ KernelVersion }: EngineInfo): boolean {
  return process.platform === 'linux' && KernelVersion === release();
}

/** What a check of the Engine finds where there is none: another check says that, with its cure. */
export async function ofEngine(examination: Examination, expected: string, judge: (engine: Engine) => Promise<Finding | readonly Finding[]> | Finding | readonly Finding[]): Promise<readonly Finding[]> {
  const engine = await examination.engine();
  if (engine === null) return [skipped('no Docker Engine answers', expected)];
  const findings = await judge(engine);
  return Array.isArray(findings) ? (findings as readonly Finding[]) : [findings as Finding];
}
