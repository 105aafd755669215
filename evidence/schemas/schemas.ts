import { BODY_SHAPES, observationHead, observedObject } from '../observation-shapes.ts';
import { bundleManifest, manifestShape } from '../bundle-manifest.ts';
import { containerLogLine, platformLogLine, runLogLine, versions } from '../bundle-parts.ts';
import { dsseEnvelope } from '../dsse.ts';
import { failureIndex } from '../failure-index.ts';
import { rehearsalReport, releaseReport } from '../report.ts';
import type { JsonSchema } from '../shape.ts';
import { OBSERVED_OBJECT, RENDERED_OBJECT } from './object-schemas.ts';

/** Other schemas have this one in them. */
Object.assign(observedObject.schema, OBSERVED_OBJECT);

const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** One alternative for each kind: its body has that kind's shape. */
function observationSchema(): JsonSchema {
  const { properties, ...head } = observationHead.schema as { readonly properties: object };
  return { ...head, oneOf: Object.entries(BODY_SHAPES).map(([kind, shape]) => ({ properties: { ...properties, kind: { const: kind }, body: shape.schema } })), properties };
}

/** The published schemas by file name. They are written from the shapes; a test holds the files to them. */
export const PUBLISHED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  'report-release-v2.schema.json': { $schema: DIALECT, title: 'Release report of rollout contract v2', ...releaseReport.schema },
  'report-rehearsal-v2.schema.json': { $schema: DIALECT, title: 'Rehearsal report of rollout contract v2', ...rehearsalReport.schema },
  'observation-v1.schema.json': { $schema: DIALECT, title: 'One line of an observation log', ...observationSchema() },
  'bundle-manifest-v1.schema.json': { $schema: DIALECT, title: 'Manifest of a bundle', ...manifestShape('qinglong/rollout-evidence-bundle@v1').schema },
  'bundle-manifest-v2.schema.json': { $schema: DIALECT, title: 'Manifest of a bundle', ...bundleManifest.schema },
  'bundle-versions-v1.schema.json': { $schema: DIALECT, title: 'Versions of what took part in a run', ...versions.schema },
  'container-log-line-v1.schema.json': { $schema: DIALECT, title: 'One line of a bundle’s container logs', ...containerLogLine.schema },
  'platform-log-line-v1.schema.json': { $schema: DIALECT, title: 'One line of a bundle’s platform logs', ...platformLogLine.schema },
  'run-log-line-v1.schema.json': { $schema: DIALECT, title: 'One line of a bundle’s run log', ...runLogLine.schema },
  'rendered-object-v1.schema.json': { $schema: DIALECT, title: 'One rendered Kubernetes object of a bundle', ...RENDERED_OBJECT },
  'failure-index-v1.schema.json': { $schema: DIALECT, title: 'Index of the folder that a failed run leaves', ...failureIndex.schema },
  'attestation-v1.schema.json': { $schema: DIALECT, title: 'DSSE envelope of a bundle', ...dsseEnvelope.schema },
};

export function schemaText(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
