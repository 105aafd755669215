/** One element of DER (ITU-T X.690): its tag, its contents and its whole encoding. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  readonly encoding: Buffer;
}

/** Splits bytes into the elements that follow one another in them; throws when they are not well-formed. */
export function readDerElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const element = readElement(bytes, offset);
    elements.push(element);
    offset += element.encoding.length;
  }
  return elements;
}

function readElement(bytes: Buffer, offset: number): DerElement {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new Error('truncated DER element');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4 || offset + 2 + lengthBytes > bytes.length) throw new Error('unsupported DER length');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 2, lengthBytes);
  const start = offset + 2 + lengthBytes;
  if (start + length > bytes.length) throw new Error('truncated DER element');
  return { tag, content: bytes.subarray(start, start + length), encoding: bytes.subarray(offset, start + length) };
}
