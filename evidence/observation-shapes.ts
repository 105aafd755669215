import { PROBE_IDS, STEP_IDS, WITNESSES, type ObservationBodies, type ObservationKind } from './observation.ts';
import { executorOutput } from './report-sections.ts';
import { anything, fields, finite, flag, integer, isObject, list, literal, nullable, object, oneOf, record, text, type Fault, type Shape } from './shape.ts';

/** The exact shape of every body, held to the catalogue's types by the compiler. */

const named = text();
const maybe = nullable(named);
const anyGeneration = oneOf(1, 2, 3, 4);
const anyComponent = oneOf('worker', 'control', 'admin');
/** Strings, numbers, booleans and null: a row's or a probe's values. */
const scalar: Shape<string | number | boolean | null> = {
  schema: { type: ['string', 'number', 'boolean', 'null'] },
  check(value, path, fault) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return;
    fault({ path, expected: 'a string, a number, true, false or null', got: typeof value });
  },
};
const texts = list(named);
const probeFact: Shape<string | number | boolean | null | readonly string[]> = {
  schema: { anyOf: [scalar.schema, texts.schema] },
  check: (value, path, fault) => (Array.isArray(value) ? texts : scalar).check(value, path, fault),
};

const accessReview = object({ ...fields(named, 'verb', 'group', 'resource', 'subresource', 'namespace', 'name'), allowed: flag });

export const OWNER = { kind: named, name: named, uid: named };
/** What is relied on of an object's metadata. */
export const RELIED_ON: Readonly<Record<string, Shape<unknown>>> = { name: named, uid: named, resourceVersion: named };
export const RELIED_ON_WHEN_THERE: Readonly<Record<string, Shape<unknown>>> = { namespace: named, creationTimestamp: named, deletionTimestamp: named, labels: record(named), annotations: record(named), ownerReferences: list(record(anything)) };

/** An object of the API as far as it is relied on; its other fields are the API's own. A Secret's values have no place in it. Its schema is in `schemas/`: to read one, none is needed. */
export const observedObject: Shape<ObservationBodies['api.object']['object']> = {
  schema: {},
  check(value, path, fault) {
    if (!isObject(value) || !isObject(value['metadata'])) return fault({ path, expected: 'an object of the API with its metadata', got: 'something else' });
    checkObject(value, path, fault);
    checkFields(value, { dataKeys: texts }, path, fault, true);
    checkMetadata(value['metadata'], `${path}.metadata`, fault);
  },
};

type Take = (fault: Fault) => void;
type Value = Readonly<Record<string, unknown>>;

function checkFields(value: Value, shapes: Readonly<Record<string, Shape<unknown>>>, path: string, fault: Take, mayLack = false): void {
  for (const [key, shape] of Object.entries(shapes)) if (!mayLack || value[key] !== undefined) shape.check(value[key], `${path}.${key}`, fault);
}

/** Of what an object is and that, of a Secret, there are no values. */
export function checkObject(value: Value, path: string, fault: Take): void {
  checkFields(value, { apiVersion: named, kind: named }, path, fault);
  if (value['kind'] === 'Secret') for (const key of ['data', 'stringData']) if (Object.hasOwn(value, key)) fault({ path: `${path}.${key}`, expected: 'no values of a Secret', got: 'some' });
}

function checkMetadata(metadata: Value, path: string, fault: Take): void {
  checkFields(metadata, RELIED_ON, path, fault);
  checkFields(metadata, RELIED_ON_WHEN_THERE, path, fault, true);
  const owners = Array.isArray(metadata['ownerReferences']) ? (metadata['ownerReferences'] as unknown[]) : [];
  owners.filter(isObject).forEach((each, index) => checkFields(each, OWNER, `${path}.ownerReferences[${index}]`, fault));
}

export const BODY_SHAPES: { readonly [K in ObservationKind]: Shape<ObservationBodies[K]> } = {
  'run.started': object({ contract: literal('v2'), runId: named, substrate: oneOf('k3s', 'embedded'), sourceRevision: text(/^[0-9a-f]{40}$/), treeClean: flag, treeDigest: named }, { logVersion: literal(2) }),
  'run.step': object({ step: oneOf(...STEP_IDS), state: oneOf('started', 'finished') }),
  'run.finished': object({ observations: integer() }),
  'platform.version': object({ gitVersion: named, platform: named }),
  'platform.node': object(fields(named, 'name', 'uid', 'architecture', 'kubeletVersion', 'containerRuntimeVersion')),
  'platform.cluster': object({ image: maybe, imageDigest: maybe, imageId: maybe }),
  'platform.database-container': object({ image: maybe, imageDigest: maybe, imageId: maybe, architecture: named }),
  'platform.database': object({ serverVersion: named, serverVersionNum: integer(), tls: flag, contractVersion: integer(), migrationIds: texts }),
  'platform.endpoints': object({ apiServer: object({ serviceCidr: named, servicePort: integer(), backendCidr: named, backendPort: integer() }), database: object({ cidr: named, port: integer() }) }),
  'platform.database-reached': object({ from: oneOf('host', 'pod'), protocol: named, certificateFingerprint: text(/^[0-9a-f]{64}$/) }),
  'image.built': object({ component: anyComponent, name: named, imageId: named, sourceRevision: named, treeDigest: named, baseImage: maybe, baseImageId: maybe, dockerfileDigest: maybe, lockFileDigest: named }),
  'image.on-node': object({ component: nullable(anyComponent), names: texts, imageId: named }),
  'image.ran': object({ component: nullable(anyComponent), names: texts, imageId: named, manifestDigest: maybe, containers: integer() }),
  'container.exited': object({ containerId: named, exitCode: integer(), exitedAt: named }),
  'api.object': object({ object: observedObject }),
  'api.watched': object({ type: oneOf('ADDED', 'MODIFIED', 'DELETED'), object: observedObject }),
  'api.audit': object(
    {
      ...fields(named, 'auditId', 'stage', 'verb', 'user'),
      impersonatedUser: maybe,
      apiGroup: named,
      ...fields(maybe, 'resource', 'subresource', 'namespace', 'name', 'resourceVersion', 'uid'),
      code: nullable(integer()),
      reason: maybe,
      ...fields(named, 'receivedAt', 'completedAt'),
      ...fields(maybe, 'credentialId', 'podName', 'podUid'),
      accessReview: nullable(accessReview),
    },
    { tokenRequest: object({ expirationSeconds: nullable(finite), audiences: texts, boundPodUid: maybe }) },
  ),
  'database.rows': object({ table: named, moment: oneOf(...STEP_IDS), rows: list(record(scalar)) }),
  'database.current-user': object({ connection: oneOf('migration', 'manager', 'executor', 'ingress', 'admin', 'runtime'), currentUser: named, sessionUser: named }),
  'action.authorization-confirmed': object({ generation: anyGeneration, replay: flag, purpose: oneOf('before_execution', 'before_authority'), actionRef: named }),
  'action.completed': object({ generation: anyGeneration, replay: flag, output: executorOutput, deliveryId: named, credentialId: named, publicationDigest: named }),
  'action.token-session': object({
    generation: anyGeneration,
    startedAt: named,
    endedAt: named,
    tokenLifetimeSeconds: finite,
    ...fields(integer(), 'issuerAllowedChecks', 'issuerDeniedChecks', 'allowedChecks', 'deniedChecks'),
    clientDisposed: flag,
  }),
  'action.recovery-session': object({ startedAt: named, endedAt: named, clientDisposed: flag, deliveries: list(object({ deliveryId: named, status: named })) }),
  'process.line': object({ podUid: named, podName: named, container: named, index: integer(), line: record(anything) }),
  'ingress.line': object({ podUid: named, index: integer(), line: record(anything) }),
  'pki.identity': object({ generation: named, caDigest: named, clientCertificateFingerprint: maybe, clientCertificateSerial: maybe }),
  'probe.result': object({ probe: oneOf(...PROBE_IDS), attempt: named, outcome: named, startedAt: named, endedAt: named, facts: record(probeFact) }),
};

const KINDS = Object.keys(BODY_SHAPES) as ObservationKind[];

/** One line of the log, less its body. */
export const observationHead = object({
  seq: integer(1),
  at: text(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'an ISO 8601 instant with milliseconds'),
  offsetMs: integer(),
  witness: oneOf(...WITNESSES),
  kind: oneOf(...KINDS),
  subject: named,
  body: record(anything),
});
