import type { StepId } from '../../evidence/observation.ts';
import type { StepDefinition } from '../contract/step-catalogue.ts';

/** What goes on beside the steps of phase B. A failure and the progress of a run name it as they name a step; the log marks none. */
export const SIDE_PROBES = 'side probes';
/** The first step of phase B that it goes on beside. */
export const BESIDE: StepId = 'ingress';
/** Each of its waits has a deadline of its own. */
export const SIDE_PROBES_DEFINITION: StepDefinition = { phase: 'product', sentence: 'what must be refused is provoked, beside the steps that follow', deadlineMs: null, gates: [] };
