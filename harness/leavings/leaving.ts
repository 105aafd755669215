export const LEAVING_KINDS = ['process', 'container', 'network', 'volume', 'image', 'folder', 'lock'] as const;
export type LeavingKind = (typeof LEAVING_KINDS)[number];

/** Something that a run, or a first run's installer, has made outside of what it was asked for. */
export interface Leaving {
  readonly kind: LeavingKind;
  readonly name: string;
  readonly runId: string | null;
  /** ISO 8601; null where it cannot be known. */
  readonly createdAt: string | null;
  /** The process that made it. */
  readonly ownerPid: number | null;
  /** False only when it is proven that its owner is gone. */
  readonly inUse: boolean;
  /** Whoever started the run wanted to look at it after a failure. */
  readonly isKept?: boolean;
  /** What is gone already is no failure. */
  remove(): Promise<void>;
}

/** A place where leavings can be. */
export interface Found {
  readonly leavings: readonly Leaving[];
  /** Why the place was not looked at, or null. */
  readonly skipped: string | null;
}
