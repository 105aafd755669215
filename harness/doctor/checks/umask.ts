import { failed, ok, warning, type Check, type Finding } from '../check.ts';
import { octal } from '../quantities.ts';

const EXPECTED = 'a umask that leaves the owner everything and others no writing, as 0022 or 0077';

export const umask: Check = {
  name: 'umask',
  substrate: 'both',
  reason: 'folders that a run makes must be usable by it, and a report in a folder that others can write to is refused',
  examine: () => [judgeUmask(process.umask())],
};

export function judgeUmask(mask: number): Finding {
  const found = octal(mask);
  if ((mask & 0o700) !== 0) return failed(`${found}: the owner cannot use new files`, EXPECTED, 'umask 0077');
  return (mask & 0o022) === 0o022 ? ok(found, EXPECTED) : warning(`${found}: new folders can be written to by others`, EXPECTED, 'umask 0077');
}
