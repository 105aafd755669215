import { BUNDLE_LAYOUT, MANIFEST_PATH, type BundleFiles } from './bundle-layout.ts';
import { sha256Hex } from './bundle-manifest.ts';
import { canonicalJson } from './canonical-json.ts';
import { GATE_NAMES } from './gate-names.ts';
import type { Observation } from './observation.ts';
import { RELEASE_FIXTURE } from './pins.ts';
import type { Report } from './report.ts';

/** in-toto Attestation Framework: Statement v1, Test Result v0.1, and DSSE as its envelope (github.com/in-toto/attestation, spec/). */
export const STATEMENT_PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const PREDICATE_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';
/** An extension field: in-toto names these by a type URI, and who does not know one passes it over. */
const VERDICT_FIELD = 'https://qinglong.io/rollout-evidence/audit-verdict/v1';

/**
 * What a signature says of a bundle that the auditor has accepted, as bytes: which report and which manifest, of which
 * source and images, with which verdict. Nothing of it is free, so the auditor makes it anew and compares.
 */
export function statementOf(files: BundleFiles, report: Report, observations: readonly Observation[]): Buffer {
  const { sourceRevision, fixture, gates } = report;
  const unproven: readonly string[] = 'unproven' in report ? report.unproven : [];
  const statement = {
    _type: STATEMENT_TYPE,
    subject: [BUNDLE_LAYOUT.report.path, MANIFEST_PATH].map((name) => ({ name, digest: { sha256: sha256Hex(files.get(name) ?? new Uint8Array()) } })),
    predicateType: PREDICATE_TYPE,
    predicate: {
      result: unproven.length === 0 ? 'PASSED' : 'WARNED',
      configuration: [{ name: 'source', digest: { gitCommit: sourceRevision } }, ...imagesOf(observations)],
      passedTests: GATE_NAMES.filter((name) => gates[name]),
      warnedTests: GATE_NAMES.filter((name) => unproven.includes(name)),
      failedTests: GATE_NAMES.filter((name) => !gates[name] && !unproven.includes(name)),
      [VERDICT_FIELD]: { fixture, profile: fixture === RELEASE_FIXTURE ? 'release' : 'rehearsal', compatible: true, findings: 0 },
    },
  };
  return Buffer.from(canonicalJson(statement));
}

function imagesOf(observations: readonly Observation[]): object[] {
  return observations.flatMap((observation) => (observation.kind === 'image.built' ? [{ name: `images/${observation.body.component}`, digest: { sha256: observation.body.imageId.replace(/^sha256:/, '') } }] : []));
}
