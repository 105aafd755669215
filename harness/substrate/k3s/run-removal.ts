import type Docker from 'dockerode';
import { join } from 'node:path';
import { KEPT_LABEL, labelsOfRun, RUN_LABEL } from './run-labels.ts';
import { keptMarkOf } from './run-names.ts';
import { listRunObjects, removeRun } from './run-objects.ts';

/** Removes what the run made in Docker at its end; leaves it when the run failed and was asked to be kept. */
export class RunRemoval {
  readonly #docker: Docker;
  readonly #runId: string;
  readonly #say: (line: string) => void;
  readonly #keepsFailures: boolean;
  #isKept = false;

  constructor(docker: Docker, context: { readonly runId: string; say(line: string): void }, keepsFailures: boolean) {
    this.#docker = docker;
    this.#runId = context.runId;
    this.#say = (line) => context.say(line);
    this.#keepsFailures = keepsFailures;
  }

  /** To be called when the run has failed. Tells whether its cluster is kept; its kubeconfig then belongs into `directory`. */
  async keep(directory: string): Promise<boolean> {
    if (!this.#keepsFailures) return false;
    this.#isKept = true;
    await this.#docker.createVolume({ Name: keptMarkOf(this.#runId), Labels: { ...labelsOfRun(this.#runId), [KEPT_LABEL]: 'true' } });
    const containers = (await listRunObjects(this.#docker, this.#runId)).filter(({ kind }) => kind === 'container').map(({ name }) => name);
    this.#say(`the cluster of the failed run is kept; look at it: kubectl --kubeconfig=${join(directory, 'kubeconfig')} get pods --all-namespaces`);
    this.#say(`its containers: ${containers.join(', ')} (docker logs NAME; all that is kept: docker ps --filter label=${RUN_LABEL}=${this.#runId})`);
    this.#say(`when you have seen enough: npx ql3-evidence clean --run=${this.#runId}`);
    return true;
  }

  async release(): Promise<void> {
    if (!this.#isKept) await removeRun(this.#docker, this.#runId);
  }
}
