import type { KeyObject } from 'node:crypto';
import { ATTESTATION_PATH, type BundleFiles } from '../../evidence/bundle-layout.ts';
import { canonicalJson } from '../../evidence/canonical-json.ts';
import { signEnvelope } from '../../evidence/dsse.ts';
import type { Observation } from '../../evidence/observation.ts';
import type { Report } from '../../evidence/report.ts';
import { STATEMENT_PAYLOAD_TYPE, statementOf } from '../../evidence/statement.ts';

/** Adds the envelope over report and manifest. To be called when the auditor has accepted them: the statement says so. */
export function signBundle(files: BundleFiles, key: KeyObject, report: Report, observations: readonly Observation[]): BundleFiles {
  const envelope = signEnvelope(STATEMENT_PAYLOAD_TYPE, statementOf(files, report, observations), key);
  return new Map([...files, [ATTESTATION_PATH, Buffer.from(`${canonicalJson(envelope)}\n`)]]);
}
