import { builtImages, isFromSource } from '../facts/images.ts';
import type { ObservedRun } from '../facts/observed-run.ts';
import { controlPods, imageIdsOf, nodeNameOf, podLives, restartOf, type PodLife } from '../facts/pods.ts';
import { imageNames } from '../facts/pod-spec.ts';
import { productPods } from '../facts/worker-pods.ts';
import type { Component } from '../observation.ts';
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
    ...(['worker', 'control', 'admin'] as const).map((component) => ranRule(run, component)),
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
  const bases = new Set(built.map(({ body }) => `${body.baseImage} ${body.baseImageId}`));
  const met = bases.size === 1 && (started?.body.substrate !== 'k3s' || built.every(({ body }) => body.baseImage !== null && body.dockerfileDigest !== null));
  return rule('the images were built from Dockerfiles, upon one base', met, [...built, started]);
}

/** What the node's runtime made containers from, which only K3s tells. It may have forgotten an image since, and then names it by what it was asked for. */
function ranRule(run: ObservedRun, component: Component) {
  const built = builtImages(run).get(component);
  const ran = run.of('image.ran').filter(({ body }) => body.component === component);
  const started = run.last('run.started');
  const isTold = started?.body.substrate !== 'k3s' || started.body.logVersion === undefined || ran.length > 0;
  const met = isTold && ran.every(({ body }) => body.imageId === built?.body.imageId || (body.manifestDigest === null && body.names.some((name) => inFull(name) === inFull(built?.body.name ?? ''))));
  return rule(`the node made containers of the ${component} image from what was built, and from nothing else of that name`, met, [built, ...ran]);
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
  const onNode = run.of('image.on-node').find(({ body }) => body.component === component);
  const met = built !== undefined && imageIdsOf(pod).join() === built.body.imageId && onNode?.body.imageId === built.body.imageId && onNode.body.names.some((each) => inFull(each) === inFull(built.body.name));
  return rule(`${name} ran the image that was built, as the node lists it`, met, [built, onNode, ...pod.events]);
}
