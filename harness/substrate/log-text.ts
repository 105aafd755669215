/** Of each of a platform's logs; a bundle is bounded as a whole. */
export const MOST_LOG_BYTES: number = 2 * 1024 * 1024;

/** The end of a text, from the beginning of a line on. */
export function lastBytes(text: string, most: number): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return bytes;
  const end = bytes.subarray(bytes.length - most);
  return end.subarray(end.indexOf(0x0a) + 1);
}
