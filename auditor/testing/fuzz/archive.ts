import type { Random } from './random.ts';

const BLOCK_BYTES = 512;
const NAMES: readonly string[] = ['../../etc/passwd', '/etc/passwd', 'report.json/../x', './report.json', 'report.json\u0000hidden', '__proto__', 'a'.repeat(100), 'manifest.json', 'observations.jsonl', 'api/audit.jsonl', 'api', 'réport.json', 'REPORT.JSON', '', 'con', '\\\\host\\share'];
const SIZES: readonly string[] = ['77777777777', '00000000000', '0000000777 ', '-0000000001', '           ', '\u0080\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0001\u0000', '\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff', '1', '9999999999 '];
const FIELDS: readonly (readonly [at: number, values: readonly string[]])[] = [
  [0, NAMES],
  [100, ['000777 ', '004755 ', '0000000', '\u0000']],
  [108, ['000000 ', '7777777']],
  [124, SIZES],
  [136, ['77777777777', '0000000001 ', '-1']],
  [156, ['1', '2', '3', '4', '5', '6', '7', 'x', 'g', 'L', 'K', 'S', 'V', 'D', '\u0000']],
  [157, ['/etc/passwd', '../../x', 'report.json']],
  [257, ['ustar  \u0000', '\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000', 'GNUtar ']],
  [265, ['root']],
  [329, ['000001 ']],
  [345, ['/etc', '../..', 'a/'.repeat(70)]],
];

/** An archive with one to four changes: links, devices, folders, other paths and sizes in its headers, and blocks lost, doubled, exchanged or spoilt. */
export function mutateArchive(random: Random, original: Uint8Array): Buffer {
  let archive = Buffer.from(original);
  for (let left = 1 + random.below(4); left > 0; left -= 1) archive = change(random, archive);
  return archive;
}

function change(random: Random, archive: Buffer): Buffer<ArrayBuffer> {
  const blocks = Math.max(1, Math.floor(archive.length / BLOCK_BYTES));
  const block = (): number => random.below(blocks) * BLOCK_BYTES;
  const at = block();
  switch (random.below(8)) {
    case 0:
      return Buffer.from(archive.subarray(0, random.below(archive.length + 1)));
    case 1:
      return Buffer.concat([archive.subarray(0, at), archive.subarray(at + BLOCK_BYTES * (1 + random.below(4)))]);
    case 2:
      return Buffer.concat([archive.subarray(0, at), archive.subarray(block(), block() + BLOCK_BYTES), archive.subarray(at)]);
    case 3: {
      const copy = Buffer.from(archive);
      copy[random.below(copy.length)] = random.below(256);
      return copy;
    }
    case 4:
      return Buffer.concat([archive, archive.subarray(0, random.below(4096))]);
    default:
      return changeHeader(random, archive);
  }
}

/** Nine times in ten with the sum put right, so that it is not the sum that saves the reader. */
function changeHeader(random: Random, archive: Buffer): Buffer<ArrayBuffer> {
  const copy = Buffer.from(archive);
  const headers: number[] = [];
  for (let at = 0; at + BLOCK_BYTES <= copy.length; at += BLOCK_BYTES) if (copy.toString('latin1', at + 257, at + 262) === 'ustar') headers.push(at);
  if (headers.length === 0) return copy;
  const header = copy.subarray(random.pick(headers)).subarray(0, BLOCK_BYTES);
  const [at, values] = random.pick(FIELDS);
  header.write(random.pick(values), at, 'latin1');
  if (random.chance(0.9)) {
    header.write('        ', 148, 'latin1');
    header.write(`${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')} \0`, 148, 'latin1');
  }
  return copy;
}
