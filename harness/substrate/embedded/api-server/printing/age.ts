/** A span of time as `kubectl get` prints it: 5s, 2m30s, 3h, 4d. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 8 && hours % 24 !== 0 ? `${days}d${hours % 24}h` : days < 730 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

export function ageOf(time: string | undefined): string {
  return time === undefined ? '<unknown>' : humanDuration(Date.now() - Date.parse(time));
}
