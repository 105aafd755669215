const BLOCK_BYTES = 512;
const CHECKSUM_AT = 148;

/**
 * The one header (POSIX.1-1988 ustar) that a file of a bundle has: a regular file of mode 0600 without owner, time or link.
 * Nothing of it is free but path and size, so whoever reads an archive compares whole headers.
 */
export function tarHeader(path: string, sizeBytes: number): Uint8Array {
  const header = new Uint8Array(BLOCK_BYTES);
  const put = (text: string, at: number): void => void new TextEncoder().encodeInto(text, header.subarray(at));
  put(path, 0);
  put('000600 ', 100);
  put(`${sizeBytes.toString(8).padStart(10, '0')} `, 124);
  put('0000000000 ', 136);
  put('        ', CHECKSUM_AT);
  put('0', 156);
  put('ustar\u000000', 257);
  put('000000 ', 329);
  put('000000 ', 337);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')} \0`, CHECKSUM_AT);
  return header;
}
