import { ANNOTATIONS } from '../annotations.ts';
import { CONTRACT_NAMES as NAMES } from '../contract-names.ts';
import { CONTROLLER, podOf, type WatchedPod, type WatchedThing } from './object-story.ts';
import { hex, type Story } from './story.ts';

export const caDigestOf = (generation: string): string => hex(`ca ${generation.startsWith('product') ? 'product' : generation}`);
export const fingerprintOf = (generation: string): string => hex(`certificate ${generation}`);
export const serialOf = (fingerprint: string): string => fingerprint.slice(0, 32);

export function tellIdentity(story: Story, generation: string): void {
  story.tell('pki.identity', { generation, caDigest: caDigestOf(generation), clientCertificateFingerprint: fingerprintOf(generation), clientCertificateSerial: serialOf(fingerprintOf(generation)) });
}

/** The actor's Pods and the journal on their volume. */
export class ActorStory {
  readonly #story: Story;
  readonly #deployment: WatchedThing;
  readonly #journal: string[] = [];

  constructor(story: Story, deployment: WatchedThing) {
    this.#story = story;
    this.#deployment = deployment;
  }

  get journalRecords(): number {
    return this.#journal.length;
  }

  begin(): WatchedPod {
    const story = this.#story;
    story.pass(200);
    const pod = podOf(story, this.#deployment, NAMES);
    pod.run();
    const annotations = pod.object.metadata.annotations ?? {};
    const record = `start ${pod.uid} ${annotations[ANNOTATIONS.tokenDigest] ?? ''} ${caDigestOf(annotations[ANNOTATIONS.identityGeneration] ?? '')}`;
    const line = (index: number, event: string, fields: object): void =>
      story.tell('process.line', { podUid: pod.uid, podName: pod.name, container: 'worker', index, line: { schemaVersion: 1, component: 'qinglong3-rollout-actor', event, podUid: pod.uid, ...fields } });
    line(0, 'journal_inherited', { lines: [...this.#journal] });
    this.#journal.push(record);
    line(1, 'started', { record });
    return pod;
  }

  /** Orderly: asked to go, writes its stop record, ends, is gone. */
  stop(pod: WatchedPod): void {
    pod.leave(CONTROLLER, 360);
    this.#journal.push(`stop ${pod.uid}`);
    this.#story.pass(100);
    pod.end(this.#story.nowSecond);
    pod.vanish();
  }

  lose(pod: WatchedPod): void {
    pod.leave('system:admin', 0);
    pod.vanish();
  }
}
