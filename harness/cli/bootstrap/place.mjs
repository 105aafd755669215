/** Where this clone or package lies, and what every part of the start says. Loads nothing that a start can do without. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ENVIRONMENT_UNFIT = 3;
export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
export const modules = join(root, 'node_modules');

export function say(line) {
  process.stderr.write(`${line}\n`);
}
