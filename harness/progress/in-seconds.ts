/** `12.3 s`; from two minutes on `2 min 5 s`. */
export function inSeconds(ms: number, digits = 1): string {
  if (ms < 120_000) return `${(ms / 1000).toFixed(digits)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
