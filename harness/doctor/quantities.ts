const GIB = 1024 ** 3;

export function inGib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}

export function gib(count: number): number {
  return count * GIB;
}

export function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
