/** Writes every generated document anew: `npm run docs`. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS } from './all-documents.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

for (const { path, content } of DOCUMENTS) {
  await writeFile(`${root}${path}`, await content());
  process.stderr.write(`${path}\n`);
}
