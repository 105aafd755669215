import type { Observation, ObservationKind } from './observation.ts';
import { BODY_SHAPES, observationHead } from './observation-shapes.ts';
import { faultsOf, type Fault } from './shape.ts';
import { parseStrictJson } from './strict-json.ts';

/** What made a line no observation. The line is counted from 1. */
export interface LineFault {
  readonly line: number;
  readonly message: string;
}

export interface ReadObservations {
  readonly observations: readonly Observation[];
  readonly faults: readonly LineFault[];
}

/**
 * Reads a log line by line. A line that is not exactly one observation of the catalogue is a fault and left out: the gap that
 * it leaves is then a fault of the sequence too. What the lines say together is judged by the log's rules.
 */
export function parseObservations(text: string): ReadObservations {
  const observations: Observation[] = [];
  const faults: LineFault[] = [];
  const lines = text.split('\n');
  if (lines.pop() !== '') faults.push({ line: lines.length + 1, message: 'the last line has no end: the log was cut off' });
  lines.forEach((line, index) => {
    const read = parseObservation(line);
    if (typeof read === 'string') faults.push({ line: index + 1, message: read });
    else observations.push(read);
  });
  return { observations, faults };
}

function parseObservation(line: string): Observation | string {
  const parsed = parseStrictJson(line);
  if (!parsed.ok) return parsed.message;
  const faults = faultsOf(observationHead, parsed.value);
  if (faults.length > 0) return describe(faults);
  const observation = parsed.value as Observation;
  const bodyFaults = faultsOf(BODY_SHAPES[observation.kind as ObservationKind], observation.body, '$.body');
  return bodyFaults.length > 0 ? describe(bodyFaults) : observation;
}

function describe(faults: readonly Fault[]): string {
  return faults.slice(0, 3).map(({ path, expected, got }) => `${path}: expected ${expected}, got ${got}`).join('; ');
}
