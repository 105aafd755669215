/** RFC 3339 in UTC with whole seconds, as Kubernetes writes metav1.Time. */
export function toTimestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

export function now(): string {
  return toTimestamp(new Date());
}
