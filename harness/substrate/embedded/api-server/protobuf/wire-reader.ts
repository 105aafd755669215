import { badRequest } from '../status-error.ts';

export interface WireField {
  readonly number: number;
  /** A varint, or the bytes of a length-delimited field. */
  readonly value: bigint | Uint8Array;
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** The fields of one protobuf message, in the order of the wire (protobuf.dev, "Encoding"). */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw malformed();
      result |= BigInt(byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return BigInt.asIntN(64, result);
    }
    throw malformed();
  };
  const take = (length: number): Uint8Array => {
    if (length < 0 || at + length > bytes.length) throw malformed();
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const [number, type] = [Math.floor(key / 8), key & 7];
    if (type === VARINT) yield { number, value: varint() };
    else if (type === LENGTH_DELIMITED) yield { number, value: take(Number(varint())) };
    else if (type === FIXED64) yield { number, value: take(8) };
    else if (type === FIXED32) yield { number, value: take(4) };
    else throw malformed();
  }
}

function malformed(): Error {
  return badRequest('the body of the request is not a well-formed protobuf message');
}
