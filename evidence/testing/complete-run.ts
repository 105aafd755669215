import { ANNOTATIONS } from '../annotations.ts';
import { CONTRACT_NAMES as NAMES, PROBE_NAMES } from '../contract-names.ts';
import type { Observation } from '../observation.ts';
import { contractStage, executeOnHost, recover, tellAuthority, type Stage } from './action-story.ts';
import { ActorStory, tellIdentity } from './actor-story.ts';
import { executeInJob, tellExecutorObjects } from './executor-job-story.ts';
import { CONTROLLER, podOf, WatchedThing, workerTemplate } from './object-story.ts';
import { imageNameOf, tellPlatform, type Circumstances } from './platform-story.ts';
import { tellIngressProbes, tellSideProbes } from './probe-story.ts';
import { IngressStory, ProductStory } from './product-story.ts';
import { Story } from './story.ts';

/** The observations of a whole run in which everything went as contract v2 says. */
export function completeRun(circumstances: Circumstances = { platform: 'release', treeClean: true }): Observation[] {
  const story = new Story();
  story.step('boot', () => beginToWatch(story));
  story.step('images', () => tellPlatform(story, circumstances));
  const { identity, ...stage } = story.step('objects', () => prepareObjects(story));
  const move = (generation: string): void => moveIdentity(story, stage, identity, generation);
  const actors = new ActorStory(story, stage.deployment);
  const lastActor = tellPhaseA(story, stage, actors, move);
  const ingress = story.step('ingress', () => new IngressStory(story));
  tellPhaseB(story, stage, ingress, move, () => actors.stop(lastActor), () => new ProductStory(story, ingress, stage.deployment, NAMES, actors.journalRecords), circumstances);
  return story.end();
}

/** Each watch goes on from a list. */
function beginToWatch(story: Story): void {
  const watched = [...[NAMES, PROBE_NAMES].flatMap(({ workerNamespace, stageNamespace }) => [['pods', workerNamespace], ['deployments', workerNamespace], ['secrets', workerNamespace], ['secrets', stageNamespace]]), ['persistentvolumeclaims', NAMES.workerNamespace], ['pods', NAMES.executorNamespace], ['jobs', NAMES.executorNamespace]];
  for (const [resource = '', namespace = ''] of watched) story.audit({ verb: 'list', user: 'system:admin', resource, namespace });
}

function prepareObjects(story: Story): Stage & { readonly identity: WatchedThing } {
  tellAuthority(story);
  tellExecutorObjects(story);
  tellIdentity(story, 'actor-identity-a');
  const { workerNamespace: namespace } = NAMES;
  const claim = new WatchedThing(story, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: NAMES.claim, namespace }, spec: {}, status: { phase: 'Pending' } });
  const secret = new WatchedThing(story, { apiVersion: 'v1', kind: 'Secret', metadata: { name: NAMES.targetSecret, namespace }, dataKeys: [] });
  const identity = new WatchedThing(story, { apiVersion: 'v1', kind: 'Secret', metadata: { name: NAMES.identitySecret, namespace }, dataKeys: ['ca.crt', 'tls.crt', 'tls.key'] });
  const deployment = new WatchedThing(story, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAMES.deployment, namespace },
    spec: { strategy: { type: 'Recreate' }, template: workerTemplate(NAMES, { [ANNOTATIONS.identityGeneration]: 'actor-identity-a' }, imageNameOf('worker')) },
  });
  claim.report({ spec: { volumeName: 'pvc-1' }, status: { phase: 'Bound' } });
  return { ...contractStage(secret, deployment), identity };
}

function moveIdentity(story: Story, { deployment }: Stage, identity: WatchedThing, generation: string): void {
  tellIdentity(story, generation);
  identity.change({});
  deployment.change({ spec: { template: { metadata: { annotations: { [ANNOTATIONS.identityGeneration]: generation } } } } });
}

/** Answers with the actor that runs when it ends. */
function tellPhaseA(story: Story, stage: Stage, actors: ActorStory, move: (generation: string) => void): ReturnType<ActorStory['begin']> {
  const old = story.step('generation-1', () => {
    const waiting = podOf(story, stage.deployment, NAMES);
    executeOnHost(story, stage, 1);
    waiting.leave(CONTROLLER, 360);
    waiting.vanish();
    return actors.begin();
  });
  const rotated = story.step('generation-2', () => {
    executeOnHost(story, stage, 2);
    actors.stop(old);
    return actors.begin();
  });
  const crashReplacement = story.step('forced-pod-loss', () => {
    actors.lose(rotated);
    return actors.begin();
  });
  let jobReplacement = crashReplacement;
  story.step('generation-3', () =>
    executeInJob(story, stage, () => {
      actors.stop(crashReplacement);
      jobReplacement = actors.begin();
    }),
  );
  const last = story.step('identity-b', () => {
    move('actor-identity-b');
    actors.stop(jobReplacement);
    return actors.begin();
  });
  return last;
}

function tellPhaseB(story: Story, stage: Stage, ingress: IngressStory, move: (generation: string) => void, stopActor: () => void, product: () => ProductStory, { platform }: Circumstances): void {
  const { worker, first } = story.step('session-1', () => {
    move('product-identity-a');
    stopActor();
    const begun = product();
    return { worker: begun, first: begun.begin() };
  });
  const second = story.step('generation-4', () => {
    executeOnHost(story, stage, 4);
    worker.drain(first.pod, first.session);
    return worker.begin();
  });
  const third = story.step('product-identity-b', () => {
    tellSideProbes(story, ingress, platform !== 'embedded');
    move('product-identity-b');
    worker.drain(second.pod, second.session);
    const begun = worker.begin();
    recover(story, stage, ['live_generation_3', 'live_generation_4']);
    return begun;
  });
  story.step('probes', () => tellIngressProbes(story, ingress));
  story.step('scale-to-zero', () => {
    stage.deployment.change({ spec: { replicas: 0 } });
    worker.drain(third.pod, third.session);
  });
}
