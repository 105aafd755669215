import type { PullPolicy } from '../images/resolve-image.ts';
import type { Engine } from './engine.ts';
import type { SourceTree, SubstrateKind } from '../substrate/substrate.ts';

export type CheckedSubstrate = SubstrateKind | 'both';

/**
 * `failed` keeps the substrate from running, `warning` does not; `unknown` cannot be found out here; `unfinished` came to no end,
 * so that nothing can be said of the whole; `skipped` does not matter here.
 */
export type CheckState = 'ok' | 'warning' | 'failed' | 'unknown' | 'unfinished' | 'skipped';

/** What was found about one precondition. `cure` says what to do, and is null where nothing is to be done. */
export interface Finding {
  readonly state: CheckState;
  readonly found: string;
  readonly expected: string;
  readonly cure: string | null;
  /** Where one check finds several things, which of them. */
  readonly of?: string;
  /** Where a finding means something else for one substrate than for the other. */
  readonly substrate?: SubstrateKind;
}

/** What checks look at; each part is looked for once, when the first check asks. */
export interface Examination {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly pull: PullPolicy;
  /** Ends when the check has had its time. */
  readonly signal: AbortSignal;
  /** The Engine that a run would use; null when none answers, or none is asked for. */
  readonly engine: () => Promise<Engine | null>;
  readonly source: () => Promise<SourceTree>;
}

/** One precondition of a run. */
export interface Check {
  readonly name: string;
  readonly substrate: CheckedSubstrate;
  /** Why a run needs it. */
  readonly reason: string;
  examine(examination: Examination): Promise<readonly Finding[]> | readonly Finding[];
}

export const ok = (found: string, expected: string): Finding => ({ state: 'ok', found, expected, cure: null });
export const warning = (found: string, expected: string, cure: string): Finding => ({ state: 'warning', found, expected, cure });
export const failed = (found: string, expected: string, cure: string): Finding => ({ state: 'failed', found, expected, cure });
export const unknown = (found: string, expected: string, cure: string | null = null): Finding => ({ state: 'unknown', found, expected, cure });
export const skipped = (found: string, expected: string): Finding => ({ state: 'skipped', found, expected, cure: null });
