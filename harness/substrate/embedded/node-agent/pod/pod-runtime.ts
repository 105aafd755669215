import type { Pod } from '../../controllers/runtime/objects.ts';
import type { NodeContext } from '../node-context.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';
import type { Termination } from './termination.ts';

/** What the containers of one Pod share. */
export interface PodRuntime {
  readonly node: NodeContext;
  /** The newest version that the API has shown. */
  readonly pod: Pod;
  readonly podIp: string;
  /** Private to the Pod: scratch folders of containers, volumes, logs. */
  readonly directory: string;
  readonly volumes: PodVolumes;
  readonly termination: Termination;
  /** Called after every change of a container's record. */
  changed(): void;
  /** Resolves when something that the Pod's configuration may refer to has changed. */
  sourcesChanged(): Promise<void>;
}
