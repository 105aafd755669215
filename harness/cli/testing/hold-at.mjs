/**
 * Preloaded into the command under test: once it has said a line, it does nothing more until a file is there, so that what a test
 * does when it has read that line happens before what follows, however slow the test is. `hold-at.mjs?text=…&until=/private/file`.
 */
import { existsSync } from 'node:fs';

const LOOK_EVERY_MS = 10;
const { text, until } = Object.fromEntries(new URL(import.meta.url).searchParams);
const write = process.stderr.write.bind(process.stderr);
let hasHeld = false;

process.stderr.write = (chunk, ...rest) => {
  const result = write(chunk, ...rest);
  if (hasHeld || !String(chunk).includes(text)) return result;
  hasHeld = true;
  while (!existsSync(until)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS);
  return result;
};
