import type { ContainerLogLine } from '../../evidence/bundle-parts.ts';
import type { PodLines } from '../cluster/pod-lines.ts';

/** What was read of the containers' logs until now, container by container. */
export function containerLogsOf(lines: PodLines): ContainerLogLine[] {
  const printed: ContainerLogLine[] = [
    ...lines.all.map(({ namespace, podName, podUid, container, index, line }) => ({ namespace, podName, podUid, container, index, line, text: null })),
    ...lines.plain.map(({ namespace, podName, podUid, container, text }) => ({ namespace, podName, podUid, container, index: null, line: null, text })),
  ];
  const nameOf = ({ namespace, podName, podUid, container }: ContainerLogLine): string => `${namespace}/${podName}/${podUid}/${container}`;
  return printed.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : nameOf(left) > nameOf(right) ? 1 : 0));
}
