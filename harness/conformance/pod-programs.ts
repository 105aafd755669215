import type { V1Container, V1Pod, V1PodSpec } from '@kubernetes/client-node';
import type { ClusterUnderTest } from './cluster-under-test.ts';

/** A container that runs a JavaScript program and nothing else. */
export function programContainer(cluster: ClusterUnderTest, program: string, extra: Partial<V1Container> = {}): V1Container {
  return { name: 'main', image: cluster.source.image, imagePullPolicy: 'IfNotPresent', command: ['node', '--input-type=module', '--eval', program], ...extra };
}

export function programPodSpec(cluster: ClusterUnderTest, program: string, extra: Partial<V1PodSpec> = {}, container: Partial<V1Container> = {}): V1PodSpec {
  return { restartPolicy: 'Never', automountServiceAccountToken: false, terminationGracePeriodSeconds: 5, containers: [programContainer(cluster, program, container)], ...extra };
}

export function programPod(cluster: ClusterUnderTest, name: string, program: string, extra: Partial<V1PodSpec> = {}, container: Partial<V1Container> = {}): V1Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec: programPodSpec(cluster, program, extra, container) };
}

/** Prints a line and stays until it is asked to end, which it does with exit code 0. */
export const PATIENT_PROGRAM = "process.on('SIGTERM', () => { console.log('terminated'); process.exit(0); }); console.log('started'); setInterval(() => {}, 1 << 30);";
