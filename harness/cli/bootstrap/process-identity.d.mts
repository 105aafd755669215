export interface SeenProcess {
  readonly name: string;
  readonly hasEnded: boolean;
  readonly parent: number;
  /** Clock ticks since boot. */
  readonly start: string | undefined;
}
export function lookAt(pid: number): SeenProcess | null;
export function identityOf(pid: number): string;
export function isRunning(identity: string): boolean;
export function watchWhoWaits(onGone: () => void): void;
