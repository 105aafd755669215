import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Container } from '../../controllers/runtime/objects.ts';
import type { ContainerLog } from '../logs/container-log.ts';
import type { CheckTarget } from '../probes/check.ts';
import { runProber } from '../probes/prober.ts';
import { ContainerProcess, type ProcessExit } from '../process/container-process.ts';
import type { ContainerLaunch } from './container-launch.ts';
import type { ContainerRecord, TerminatedState } from './container-record.ts';
import { runHook } from './lifecycle-hook.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { runCommand } from './run-command.ts';
import { pause, whenAborted } from './termination.ts';

const MESSAGE_BYTES = 4096;
const FALLBACK_LINES = 80;
const FALLBACK_BYTES = 2048;

/** One run of one container, from a started process to its reported end. */
export class ContainerRun {
  readonly #runtime: PodRuntime;
  readonly #container: Container;
  readonly #launch: ContainerLaunch;
  readonly #process: ContainerProcess;
  readonly #log: ContainerLog;
  readonly #ended = new AbortController();
  readonly #unhealthy = new AbortController();

  constructor(runtime: PodRuntime, container: Container, launch: ContainerLaunch, process: ContainerProcess, log: ContainerLog) {
    this.#runtime = runtime;
    this.#container = container;
    this.#launch = launch;
    this.#process = process;
    this.#log = log;
    log.capture('stdout', process.stdout);
    log.capture('stderr', process.stderr);
    void process.exit.then(() => this.#ended.abort());
  }

  /** Waits for the end, and brings it about when the Pod has to end or the container has become unhealthy. */
  async finish(record: ContainerRecord): Promise<void> {
    const probes = this.#runProbes(record);
    await this.#postStart();
    const { termination } = this.#runtime;
    const mustStop = AbortSignal.any([termination.requested, this.#unhealthy.signal]);
    await Promise.race([this.#process.exit, whenAborted(mustStop)]);
    if (mustStop.aborted && !this.#ended.signal.aborted) await this.#stop();
    const exit = await this.#process.exit;
    await probes;
    this.#log.end();
    record.terminated(await this.#describe(exit));
  }

  get #target(): CheckTarget {
    return {
      podIp: this.#runtime.podIp,
      container: this.#container,
      exec: async (command, signal) => {
        const result = await runCommand(this.#launch.command(command), signal);
        return result.exitCode === 0 ? null : `command exited with ${result.exitCode}: ${result.output}`;
      },
    };
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#runtime.node.events.record(this.#runtime.pod, { type, reason, message, fieldPath: `spec.containers{${this.#container.name}}` });
  }

  async #runProbes(record: ContainerRecord): Promise<void> {
    const { startupProbe, readinessProbe, livenessProbe } = this.#container;
    const stop = AbortSignal.any([this.#ended.signal, this.#runtime.termination.requested, this.#unhealthy.signal]);
    const common = { target: this.#target, timing: this.#runtime.node.timing };
    const unhealthy = (kind: string) => (why: string) => this.#event('Warning', 'Unhealthy', `${kind} probe failed: ${why}`);
    const killUnless = (isPassing: boolean): void => {
      if (isPassing) return;
      this.#event('Normal', 'Killing', `Container ${this.#container.name} failed liveness probe, will be restarted`);
      this.#unhealthy.abort();
    };
    if (startupProbe !== undefined) {
      const passed = new AbortController();
      const onVerdict = (isPassing: boolean): void => (isPassing ? passed.abort() : killUnless(false));
      await runProber({ ...common, probe: startupProbe, isEager: true, onFailure: unhealthy('Startup'), onVerdict }, AbortSignal.any([stop, passed.signal]));
      record.probed({ isStarted: true, isReady: readinessProbe === undefined });
    }
    const running: Promise<void>[] = [];
    if (readinessProbe !== undefined) {
      const onVerdict = (isReady: boolean): void => record.probed({ isReady });
      running.push(runProber({ ...common, probe: readinessProbe, isEager: true, onFailure: unhealthy('Readiness'), onVerdict }, stop));
    }
    if (livenessProbe !== undefined) {
      running.push(runProber({ ...common, probe: livenessProbe, isEager: false, onFailure: unhealthy('Liveness'), onVerdict: killUnless }, stop));
    }
    await Promise.all(running);
  }

  async #postStart(): Promise<void> {
    const hook = this.#container.lifecycle?.postStart;
    if (hook === undefined) return;
    const failure = await runHook(hook, this.#target, AbortSignal.any([this.#ended.signal, this.#runtime.termination.expired]));
    if (failure === null) return;
    this.#event('Warning', 'FailedPostStartHook', failure);
    this.#unhealthy.abort();
  }

  /** SIGKILL to the container's processes, as from outside; the Pod's restart policy says what follows. */
  kill(): void {
    this.#process.kill();
  }

  /** preStop, SIGTERM, what is left of the grace period, SIGKILL to the whole group; a forced end skips straight to the last. */
  async #stop(): Promise<void> {
    const { termination, node, pod } = this.#runtime;
    const { forced } = termination;
    const kill = (): void => this.#process.kill();
    forced.addEventListener('abort', kill);
    if (forced.aborted) kill();
    else this.#event('Normal', 'Killing', `Stopping container ${this.#container.name}`);
    const graceMs = (this.#container.livenessProbe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30) * 1000;
    const expired = termination.requested.aborted ? termination.expired : AbortSignal.any([termination.expired, AbortSignal.timeout(graceMs)]);
    await this.#preStop(expired);
    if (!forced.aborted) this.#process.signal('SIGTERM');
    const graceIsOver = expired.aborted ? pause(node.timing.minimumGraceMs, AbortSignal.any([forced, this.#ended.signal])) : whenAborted(expired);
    await Promise.race([this.#process.exit, graceIsOver]);
    if (!this.#ended.signal.aborted) kill();
    forced.removeEventListener('abort', kill);
  }

  async #preStop(expired: AbortSignal): Promise<void> {
    const hook = this.#container.lifecycle?.preStop;
    if (hook === undefined || expired.aborted) return;
    const failure = await runHook(hook, this.#target, AbortSignal.any([expired, this.#ended.signal]));
    if (failure !== null) this.#event('Warning', 'FailedPreStopHook', failure);
  }

  async #describe({ exitCode }: ProcessExit): Promise<Omit<TerminatedState, 'startedAt' | 'finishedAt' | 'containerID'>> {
    const message = await this.#terminationMessage(exitCode);
    return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', ...(message === '' ? {} : { message }) };
  }

  async #terminationMessage(exitCode: number): Promise<string> {
    const written = await readFile(this.#launch.terminationMessageFile).catch(() => Buffer.alloc(0));
    const message = written.subarray(0, MESSAGE_BYTES).toString('utf8');
    if (message !== '' || exitCode === 0 || this.#container.terminationMessagePolicy !== 'FallbackToLogsOnError') return message;
    const lines = this.#log.lines().slice(-FALLBACK_LINES);
    return Buffer.from(lines.map((line) => `${line.text}\n`).join('')).subarray(-FALLBACK_BYTES).toString('utf8');
  }

  /** Runs a further command in the container, for `kubectl exec`. */
  async exec(command: readonly string[], hasStdin: boolean): Promise<ContainerProcess> {
    const process = await ContainerProcess.start({ ...this.#launch.command(command), stdin: hasStdin ? 'pipe' : 'none' });
    const kill = (): void => process.kill();
    this.#ended.signal.addEventListener('abort', kill, { once: true });
    void once(process.stdout, 'close').then(() => this.#ended.signal.removeEventListener('abort', kill));
    return process;
  }
}
