/** What a run's things are called in Docker: by the first eight digits of its id, so that they are told apart at a glance. */
export function networkOf(runId: string): string {
  return `ql3-${runId.slice(0, 8)}`;
}

export function clusterContainerOf(runId: string): string {
  return `${networkOf(runId)}-k3s`;
}

export function databaseContainerOf(runId: string): string {
  return `${networkOf(runId)}-postgres`;
}

/** Holds nothing but its labels. */
export function keptMarkOf(runId: string): string {
  return `${networkOf(runId)}-kept`;
}

export function productTagOf(repository: string, runId: string): string {
  return `${repository}:run-${runId.slice(0, 8)}`;
}
