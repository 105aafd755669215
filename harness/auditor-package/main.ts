/** `npm run pack:auditor [-- --to=DIR]`: makes the auditor's package, and says where it lies and how large it is. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MOST_PACKED_BYTES, MOST_UNPACKED_BYTES, packAuditor, ROOT } from './pack.ts';

const { values } = parseArgs({ options: { to: { type: 'string' } } });
const directory = resolve(values.to ?? join(ROOT, '.work', 'auditor-package'));
await mkdir(directory, { recursive: true });
const packed = await packAuditor(directory);
process.stdout.write(`${JSON.stringify(packed)}\n`);
if (packed.packedBytes > MOST_PACKED_BYTES || packed.unpackedBytes > MOST_UNPACKED_BYTES) {
  process.stderr.write(`expected a package of at most ${MOST_PACKED_BYTES} bytes, and ${MOST_UNPACKED_BYTES} unpacked, got ${packed.packedBytes} and ${packed.unpackedBytes}\n`);
  process.exitCode = 1;
}
