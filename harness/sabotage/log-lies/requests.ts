import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../../../evidence/contract-names.ts';
import type { Observation, ObservationBodies } from '../../../evidence/observation.ts';
import { isPod } from '../log-cast.ts';
import { all, alter, copyFirst, drop, find, inTurn, setIn } from '../log-edit.ts';
import type { LogLie } from '../log-lie.ts';

type Audit = ObservationBodies['api.audit'];

const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();
const movedBy = (ms: number) => (event: Audit): Audit => ({ ...event, receivedAt: later(event.receivedAt, ms), completedAt: later(event.completedAt, ms) });
const again = (event: Audit): Audit => ({ ...event, auditId: `c0ffee00-${event.auditId.slice(9)}` });

const isCreationOf = (resource: string) => (event: Audit): boolean => event.verb === 'create' && event.resource === resource && event.subresource === null;
const isOfWorkers = ({ namespace }: Audit): boolean => namespace === NAMES.workerNamespace;
const isUpdateOf = (name: string) => (event: Audit): boolean => event.verb === 'update' && event.subresource === null && event.name === name && event.code === 200;
const isAdministrators = (event: Audit): boolean => event.user === 'system:admin' && event.impersonatedUser === null;
const isForcedLoss = (event: Audit): boolean => event.verb === 'delete' && event.resource === 'pods' && isAdministrators(event) && isOfWorkers(event);
const isControlPod = ({ object }: ObservationBodies['api.watched']): boolean => object.kind === 'Pod' && object.metadata.name.startsWith(NAMES.controlDeployment);

/** The Pod that waits for the first credential: it prints nothing. */
function waitingPod(log: readonly Observation[]): string {
  return find(log, 'api.watched', ({ object }) => object.kind === 'Pod' && object.metadata.namespace === NAMES.workerNamespace && object.metadata.name.startsWith(NAMES.deployment)).body.object.metadata.uid;
}

const told = (name: string, pretends: string, edit: (log: readonly Observation[]) => readonly Observation[]): LogLie => ({ name, pretends, caughtBy: ['BUNDLE_INTEGRITY'], tell: ({ observations }) => ({ log: edit(observations) }) });

/** About the requests that made what the watch showed: not made, made at another time, over another state, by nobody or once more. */
export const REQUEST_LIES: readonly LogLie[] = [
  told('answered-before-it-was-asked', 'a Job was asked for and made; it was made a second before it was asked for', alter('api.audit', isCreationOf('jobs'), (event) => ({ ...event, completedAt: later(event.receivedAt, -1000) }))),
  told('forced-loss-asked-for-afterwards', 'a Pod was lost since somebody asked for it; it was asked for when the Pod had gone', alter('api.audit', isForcedLoss, movedBy(20_000))),
  told('deployment-written-afterwards', 'the Deployment changed by a write; the write came after it had changed', alter('api.audit', (event) => isUpdateOf(NAMES.deployment)(event) && isAdministrators(event), movedBy(3000))),
  told('deployment-written-before-its-time', 'the Deployment was read and then replaced; it was replaced before it was as it had been read', (log) => {
    const [first, ...others] = all(log, 'api.audit', (event) => isUpdateOf(NAMES.deployment)(event) && isAdministrators(event));
    return alter('api.audit', (_, { seq }) => seq === others.at(-1)?.seq, (event) => ({ ...event, receivedAt: first?.body.receivedAt ?? '', completedAt: first?.body.completedAt ?? '' }))(log);
  }),
  told('pods-asked-for-afterwards', 'the Pods of the Workers were asked for; that was after they had appeared', alter('api.audit', (event) => isCreationOf('pods')(event) && isOfWorkers(event), movedBy(3000))),
  told('control-made-before-it-was-asked-for', 'Control was made when it was asked for; its Pod is older than that', (log) => {
    const { at } = find(log, 'api.watched', isPod(waitingPod(log)));
    return alter('api.watched', isControlPod, (body) => setIn(body, ['object', 'metadata', 'creationTimestamp'], at.replace(/\.\d+Z$/, 'Z')))(log);
  }),
  told('rights-made-afterwards', 'rights and policies were there before they were needed; they were asked for later than they are dated', alter('api.audit', (event) => ['roles', 'rolebindings', 'networkpolicies'].some((resource) => isCreationOf(resource)(event)), movedBy(10_000))),
  told('waiting-worker-hidden', 'these were all Pods of the Worker; one waited before them, and is neither asked for nor shown', (log) => inTurn(drop('api.watched', isPod(waitingPod(log))), (without) => {
    const first = find(without, 'api.audit', (event) => isCreationOf('pods')(event) && isOfWorkers(event));
    return drop('api.audit', (_, { seq }) => seq === first.seq)(without);
  })(log)),
  told('pods-bound-by-nobody', 'a scheduler bound the Pods to their node; none did', drop('api.audit', ({ subresource }) => subresource === 'binding')),
  told('pods-of-owners-that-nobody-made', 'ReplicaSets made the Pods; nobody made these', drop('api.audit', isCreationOf('replicasets'))),
  told('pods-that-no-node-ran', 'a node ran the Pods and told how they were; it told nothing', drop('api.audit', (event) => event.resource === 'pods' && event.subresource === 'status')),
  told('replaced-over-a-stale-state', 'the delivery of the probes replaced what it had read; it passed another resourceVersion each time', alter('api.audit', (event) => isUpdateOf(PROBE_NAMES.targetSecret)(event) && !isAdministrators(event), (event) => ({ ...event, resourceVersion: `${Number(event.resourceVersion) - 1}` }))),
  told('states-of-the-probes-hidden', 'the watch showed each state of the Deployment of the probes; those between are left out', drop('api.watched', ({ type, object }) => type === 'MODIFIED' && object.kind === 'Deployment' && object.metadata.name === PROBE_NAMES.deployment)),
  told('job-made-twice', 'the Job was made once; it was made again while it was there', copyFirst('api.audit', isCreationOf('jobs'), again)),
  told('identity-replaced-twice', 'the identity was replaced once; it was replaced again over the state that was gone', copyFirst('api.audit', isUpdateOf(NAMES.identitySecret), again)),
  told('rival-that-wrote-twice', 'a rival wrote once over the Secret of the probes; it did again over the same state', copyFirst('api.audit', isUpdateOf(PROBE_NAMES.targetSecret), again)),
];
