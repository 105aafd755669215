import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BundleFiles } from '../../../evidence/bundle-layout.ts';
import type { Random } from './random.ts';

/** A bundle's folder below `root` with one to three things in it that are no file of a bundle: links, pipes, folders, holes, strange names. */
export function makeHostileFolder(random: Random, root: string, files: BundleFiles): string {
  const folder = mkdtempSync(join(root, 'bundle-'));
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), bytes, { mode: 0o600 });
  }
  for (let left = 1 + random.below(3); left > 0; left -= 1) spoil(random, folder, random.pick([...files.keys()]));
  return folder;
}

function spoil(random: Random, folder: string, path: string): void {
  const target = join(folder, path);
  // An earlier change may have put a link to somewhere else in the way: nothing is ever changed through it.
  if (leadsOut(folder, target)) return;
  const inPlace = (make: () => void): void => {
    rmSync(target, { recursive: true, force: true });
    make();
  };
  try {
    switch (random.below(10)) {
      case 0:
        return inPlace(() => symlinkSync(random.pick(['/etc/passwd', '/dev/zero', '../x', path]), target));
      case 1:
        return inPlace(() => linkSync('/proc/self/status', target));
      case 2:
        return inPlace(() => mkdirSync(target));
      case 3:
        return inPlace(() => void execFileSync('mkfifo', [target], { stdio: 'ignore' }));
      case 4:
        return truncateSync(target, random.pick([0, 1, 2 ** 31, 2 ** 40]));
      case 5:
        return chmodSync(target, random.pick([0o666, 0o622, 0o000]));
      case 6:
        return whereItStays(folder, random.pick(['extra', '..x', '__proto__', 'é', 'a'.repeat(200), 'report.json ', 'api/more']), (place) => writeFileSync(place, ''));
      case 7:
        return inPlace(() => undefined);
      case 8: {
        const parent = join(folder, 'api');
        rmSync(parent, { recursive: true, force: true });
        return symlinkSync(random.pick(['/', '/proc/self/fd', '..', '../..', '/dev']), parent);
      }
      default:
        return whereItStays(folder, random.pick(['', 'api', 'logs']), (place) => chmodSync(place, random.pick([0o777, 0o770, 0o722])));
    }
  } catch {
    // an earlier change has taken its place away, or the file system refuses it
  }
}

function whereItStays(folder: string, path: string, change: (place: string) => void): void {
  const place = join(folder, path);
  if (!leadsOut(folder, place)) change(place);
}

/** Whether the place, or a folder between it and the bundle's own, is a link. */
function leadsOut(folder: string, place: string): boolean {
  for (let at = place; at.length > folder.length; at = dirname(at)) {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true) return true;
  }
  return false;
}
