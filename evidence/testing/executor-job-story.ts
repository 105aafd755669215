import { CALLER_DRIVEN, EXECUTION_MODEL_LABEL } from '../annotations.ts';
import { CONTRACT_NAMES as NAMES } from '../contract-names.ts';
import { approve, consume, deliver, jobStage, outputOf, type Action, type Stage } from './action-story.ts';
import { WatchedPod, WatchedThing } from './object-story.ts';
import { ENDPOINTS, imageNameOf } from './platform-story.ts';
import type { Story } from './story.ts';

const EXECUTOR_LABELS = { 'app.kubernetes.io/component': 'credential-executor' };
const TOKEN_VOLUME = { name: 'issuer', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 600 } }, { configMap: { name: 'kube-root-ca.crt' } }] } };

/** What stands in the executor's namespace before its first Job. */
export function tellExecutorObjects(story: Story): void {
  const { apiServer, database } = ENDPOINTS;
  const rule = (cidr: string, port: number): object => ({ to: [{ ipBlock: { cidr } }], ports: [{ protocol: 'TCP', port }] });
  story.audit({ verb: 'create', user: 'system:admin', resource: 'networkpolicies', apiGroup: 'networking.k8s.io', namespace: NAMES.executorNamespace, name: 'ql3-worker-credential-executor', code: 201 });
  story.tell('api.object', {
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'ql3-worker-credential-executor', namespace: NAMES.executorNamespace, uid: story.uuid(), creationTimestamp: story.nowSecond, resourceVersion: story.resourceVersion() },
      spec: {
        podSelector: { matchLabels: EXECUTOR_LABELS },
        policyTypes: ['Ingress', 'Egress'],
        egress: [rule(apiServer.serviceCidr, apiServer.servicePort), rule(apiServer.backendCidr, apiServer.backendPort), rule(database.cidr, database.port)],
      },
    },
  });
  tellRights(story);
  story.audit({ verb: 'create', user: 'system:admin', resource: 'serviceaccounts', namespace: NAMES.stageNamespace, name: NAMES.deliveryServiceAccount, code: 201 });
  story.tell('api.object', {
    object: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: NAMES.deliveryServiceAccount, namespace: NAMES.stageNamespace, uid: story.uuid(), creationTimestamp: story.nowSecond, resourceVersion: story.resourceVersion() },
      automountServiceAccountToken: false,
    },
  });
}

function tellRights(story: Story): void {
  const { stageNamespace: stage, workerNamespace: worker, deliveryServiceAccount: delivery, executorNamespace, executorServiceAccount, issuerUser, recoveryUser, targetSecret, deployment } = NAMES;
  const tell = (kind: string, name: string, namespace: string, rest: object): void => {
    story.audit({ verb: 'create', user: 'system:admin', resource: `${kind.toLowerCase()}s`, apiGroup: 'rbac.authorization.k8s.io', namespace, name, code: 201 });
    story.tell('api.object', { object: { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name, namespace, uid: story.uuid(), creationTimestamp: story.nowSecond, resourceVersion: story.resourceVersion() }, ...rest } });
  };
  const bind = (role: string, namespace: string, rules: readonly object[], ...subjects: readonly object[]): void => {
    tell('Role', role, namespace, { rules });
    tell('RoleBinding', role, namespace, { roleRef: { kind: 'Role', name: role }, subjects });
  };
  const account = (namespace: string, name: string): object => ({ kind: 'ServiceAccount', namespace, name });
  bind('stage', stage, [{ verbs: ['get', 'list', 'create', 'delete'], apiGroups: [''], resources: ['secrets'] }], account(stage, delivery));
  bind('issuer', stage, [{ verbs: ['create'], apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [delivery] }], account(executorNamespace, executorServiceAccount), { kind: 'User', name: issuerUser }, { kind: 'User', name: recoveryUser });
  const write = (group: string, resource: string, name: string): object => ({ verbs: ['get', 'update'], apiGroups: [group], resources: [resource], resourceNames: [name] });
  bind('target', worker, [write('', 'secrets', targetSecret), write('apps', 'deployments', deployment)], account(stage, delivery));
}

/** A Pod of the executor's namespace that its policy selects. */
export function executorPod(story: Story, name: string, owner: WatchedThing | null): WatchedPod {
  const image = imageNameOf('admin');
  const pod = new WatchedPod(
    story,
    'admin',
    { name, namespace: NAMES.executorNamespace, labels: EXECUTOR_LABELS, ...(owner && { ownerReferences: [{ kind: 'Job', name: owner.name, uid: owner.uid }] }) },
    { serviceAccountName: NAMES.executorServiceAccount, automountServiceAccountToken: false, containers: [{ name: 'executor', image }], volumes: [TOKEN_VOLUME] },
  );
  story.audit({
    verb: 'create',
    user: 'system:node:ql3-node',
    resource: 'serviceaccounts',
    subresource: 'token',
    namespace: NAMES.executorNamespace,
    name: NAMES.executorServiceAccount,
    code: 201,
    tokenRequest: { expirationSeconds: 600, audiences: [], boundPodUid: pod.uid },
  });
  return pod;
}

function runJob(story: Story, name: string, work: (pod: WatchedPod) => Action, replay: boolean): Action {
  const job = new WatchedThing(story, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: NAMES.executorNamespace, labels: { [EXECUTION_MODEL_LABEL]: CALLER_DRIVEN } }, spec: { backoffLimit: 0 } });
  const pod = executorPod(story, `${name}-abcde`, job);
  pod.run();
  story.pass(300);
  const action = work(pod);
  story.tell('process.line', { podUid: pod.uid, podName: pod.name, container: 'executor', index: 0, line: { ...outputOf(action, replay) } });
  story.pass(100);
  pod.end(story.nowSecond);
  job.report({ status: { succeeded: 1 } });
  story.pass(2000);
  return action;
}

/** Generation 3 in the executor's Job, then the same command in a second Job. */
export function executeInJob(story: Story, stage: Stage, between: (action: Action) => void): Action {
  const action = approve(story, stage, 'live_generation_3', 'live_generation_2');
  runJob(story, NAMES.executorJob, ({ uid, name }) => {
    consume(story, action);
    deliver(story, jobStage(stage, { uid, name }), action);
    return action;
  }, false);
  between(action);
  return runJob(story, NAMES.executorReplayJob, () => action, true);
}
