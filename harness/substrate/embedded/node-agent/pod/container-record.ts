import { createHash } from 'node:crypto';
import type { Container, ContainerState, ContainerStatus } from '../../controllers/runtime/objects.ts';
import { now } from '../../controllers/runtime/timestamps.ts';

export type TerminatedState = NonNullable<ContainerState['terminated']>;

/** What is reported about one container; every change is announced. */
export class ContainerRecord {
  readonly name: string;
  readonly #image: string;
  readonly #changed: () => void;
  #imageId = '';
  #containerId: string | null = null;
  #restartCount = 0;
  #state: ContainerState;
  #lastState: ContainerState = {};
  #isReady = false;
  #isStarted = false;

  constructor(container: Container, waitingReason: string, changed: () => void) {
    this.name = container.name;
    this.#image = container.image ?? '';
    this.#state = { waiting: { reason: waitingReason } };
    this.#changed = changed;
  }

  get state(): ContainerState {
    return this.#state;
  }

  get lastTerminated(): TerminatedState | undefined {
    return this.#state.terminated ?? this.#lastState.terminated;
  }

  get restartCount(): number {
    return this.#restartCount;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get containerId(): string | null {
    return this.#containerId;
  }

  get succeeded(): boolean {
    return this.#state.terminated?.exitCode === 0;
  }

  waiting(reason: string, message?: string): void {
    if (this.#state.waiting?.reason === reason && this.#state.waiting.message === message) return;
    if (this.#state.terminated !== undefined) this.#lastState = this.#state;
    this.#set({ waiting: { reason, ...(message === undefined ? {} : { message }) } });
  }

  started(imageId: string, containerId: string, isStarted: boolean, isReady: boolean): void {
    if (this.#state.terminated !== undefined) this.#lastState = this.#state;
    if (this.#containerId !== null) this.#restartCount += 1;
    this.#imageId = imageId;
    this.#containerId = containerId;
    this.#isStarted = isStarted;
    this.#isReady = isReady;
    this.#set({ running: { startedAt: now() } });
  }

  probed(change: { isStarted?: boolean; isReady?: boolean }): void {
    if (this.#state.running === undefined) return;
    const { isStarted = this.#isStarted, isReady = this.#isReady } = change;
    if (isStarted === this.#isStarted && isReady === this.#isReady) return;
    this.#isStarted = isStarted;
    this.#isReady = isReady;
    this.#changed();
  }

  terminated(state: Omit<TerminatedState, 'startedAt' | 'finishedAt' | 'containerID'>): void {
    const finishedAt = now();
    const startedAt = this.#state.running?.startedAt ?? finishedAt;
    this.#isReady = false;
    this.#isStarted = false;
    this.#set({ terminated: { ...state, startedAt, finishedAt, ...(this.#containerId === null ? {} : { containerID: this.#containerId }) } });
  }

  toStatus(): ContainerStatus {
    return {
      name: this.name,
      image: this.#image,
      imageID: this.#imageId,
      ...(this.#containerId === null ? {} : { containerID: this.#containerId }),
      ready: this.#isReady,
      started: this.#isStarted,
      restartCount: this.#restartCount,
      state: this.#state,
      lastState: this.#lastState,
    };
  }

  #set(state: ContainerState): void {
    this.#state = state;
    this.#changed();
  }
}

export function containerIdOf(podUid: string, name: string, attempt: number): string {
  return `embedded://${createHash('sha256').update(`${podUid}\0${name}\0${attempt}`).digest('hex')}`;
}
