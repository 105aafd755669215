import { runtimeTells, toldContainers } from '../facts/containers.ts';
import { builtImages, isFromSource } from '../facts/images.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { controlPods, imageIdsOf, nodeNameOf, podLives, restartOf, type PodLife } from '../facts/pods.ts';
import { imageNames } from '../facts/pod-spec.ts';
import { settledUntilMs } from '../facts/settled.ts';
import { productPods } from '../facts/worker-pods.ts';
import { instantMs } from '../instants.ts';
import type { Component, ObservationOf } from '../observation.ts';
import { judged, rule } from '../verdict.ts';

/** Image tags carry at least so much of the run's id. */
const RUN_ID_IN_TAG = 8;

/** The production Pods ran, in every container, the images that were built from the source revision. */
export const productionWorkerImageInKubernetes = judged((run: ObservedRun) => {
  const workers = productPods(run);
  return [
    rule('three production Pods', workers.length === 3, workers),
    ...(['worker', 'control', 'admin'] as const).map((component) => {
      const image = builtImages(run).get(component);
      return rule(`the ${component} image was built once, from the revision and tree of this run`, isFromSource(run, image), [image, run.last('run.started')]);
    }),
    buildRule(run),
    ...(['worker', 'control', 'admin'] as const).flatMap((component) => [ranRule(run, component), listedRule(run, component)]),
    rule('no Pod ran anything but what was built', podLives(run).every((pod) => imageIdsOf(pod).every((id) => run.of('image.built').some(({ body }) => body.imageId === id))), podLives(run)),
    rule('no container of Control began again', controlPods(run).every((pod) => restartOf(pod) === null), controlPods(run).map(restartOf)),
    ...nodeRules(run, [...workers, ...controlPods(run)]),
    ...workers.map((pod, index) => imageRule(run, `production Pod ${index + 1}`, pod, 'worker')),
    ...controlPods(run).map((pod) => imageRule(run, `Control Pod ${pod.name}`, pod, 'control')),
  ];
});

/** What is built by the Docker Engine has a Dockerfile; an embedded cluster's images have none, and no base. */
function buildRule(run: ObservedRun) {
  const built = run.of('image.built');
  const started = run.last('run.started');
  const bases = new Set(built.map(({ body }) => `${body.baseImage} ${body.baseImageId} ${body.lockFileDigest} ${body.dockerfileDigest === null}`));
  const met = bases.size === 1 && (started?.body.substrate !== 'k3s' || built.every(({ body }) => body.baseImage !== null && body.dockerfileDigest !== null));
  return rule('the images were built from Dockerfiles, upon one base and one lock file', met, [...built, started]);
}

/** What the node's runtime made containers from, which only K3s tells. It may have forgotten an image since, and then names it by what it was asked for. */
function ranRule(run: ObservedRun, component: Component) {
  const built = builtImages(run).get(component);
  const ran = run.of('image.ran').filter(({ body }) => body.component === component);
  const made = ran.reduce((sum, { body }) => sum + body.containers, 0);
  const told = toldContainers(run).filter(({ imageId, id, told: { at } }) => id !== '' && imageId === built?.body.imageId && instantMs(at) <= settledUntilMs(run));
  const isTold = !runtimeTells(run) || (ran.length > 0 && made >= new Set(told.map(({ id }) => id)).size);
  const isOne = new Set(ran.map(({ body }) => body.imageId)).size <= 1;
  const met = isTold && isOne && ran.every(({ body }) => body.imageId === built?.body.imageId || (body.manifestDigest === null && isNamed(body, built)));
  return rule(`the node made containers of the ${component} image from what was built, as many as the kubelet told of, and from nothing else of that name`, met, [built, ...ran]);
}

function listedRule(run: ObservedRun, component: Component) {
  const built = builtImages(run).get(component);
  const listed = run.of('image.on-node').filter(({ body }) => body.component === component);
  return rule(`the node lists as the ${component} image what was built, and nothing else`, listed.length > 0 && listed.every(({ body }) => body.imageId === built?.body.imageId && isNamed(body, built)), [built, ...listed]);
}

function isNamed({ names }: { readonly names: readonly string[] }, built: ObservationOf<'image.built'> | undefined): boolean {
  return built !== undefined && names.some((name) => inFull(name) === inFull(built.body.name));
}

/** Another run's Pods ran on another node, and under image names that carry that run's id. */
function nodeRules(run: ObservedRun, pods: readonly PodLife[]) {
  const nodes = run.of('platform.node');
  const names = new Set(nodes.map(({ body }) => body.name));
  const started = run.last('run.started');
  const tag = started?.body.runId.slice(0, RUN_ID_IN_TAG) ?? '';
  return [
    rule('every Pod ran on a node of this cluster', pods.every((pod) => names.has(nodeNameOf(pod) ?? '')), [...nodes, ...pods]),
    rule("every Pod names the image that was built, tagged with this run's id",
      tag !== '' && pods.every((pod) => imageNames(pod.object).every((name) => name.includes(tag) && run.of('image.built').some(({ body }) => inFull(body.name) === inFull(name)))),
      [started, ...run.of('image.built'), ...pods]),
  ];
}

/** `app:1` is `docker.io/library/app:1` to the container runtime, and may be called either. */
function inFull(name: string): string {
  return name.includes('/') ? name : `docker.io/library/${name}`;
}

function imageRule(run: ObservedRun, name: string, pod: PodLife, component: Component) {
  const built = builtImages(run).get(component);
  return rule(`${name} ran the image that was built`, built !== undefined && imageIdsOf(pod).join() === built.body.imageId, [built, ...pod.events]);
}
