/** Protocol Buffers for Chromium's protocols (https://protobuf.dev/programming-guides/encoding/). */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt(value);
  do {
    const low = Number(left & 127n);
    left >>= 7n;
    bytes.push(left > 0n ? low | 128 : low);
  } while (left > 0n);
  return Buffer.from(bytes);
}

export function numberField(field: number, value: number | bigint): Buffer {
  return Buffer.concat([tag(field, VARINT), varint(value)]);
}

export function fixed64Field(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([tag(field, FIXED64), bytes]);
}

export function bytesField(field: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([tag(field, BYTES), varint(bytes.length), bytes]);
}

export type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

/** Returns each field's values, until invalid bytes. */
export function readFields(message: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  while (at < message.length) {
    const head = readVarint(message, at);
    if (head === null) return fields;
    const read = readValue(message, head.end, Number(head.value & 7n));
    if (read === null || read.end > message.length) return fields;
    const field = Number(head.value >> 3n);
    fields.set(field, [...(fields.get(field) ?? []), read.value]);
    at = read.end;
  }
  return fields;
}

/** `end`: the next byte. null: incomplete, or above 64 bits. */
export function readVarint(bytes: Buffer, start: number): { readonly value: bigint; readonly end: number } | null {
  let value = 0n;
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 127) << BigInt(7 * (at - start));
    if (byte < 128) return { value, end: at + 1 };
  }
  return null;
}

function readValue(bytes: Buffer, at: number, wireType: number): { value: Buffer | bigint; end: number } | null {
  if (wireType === VARINT) return readVarint(bytes, at);
  if (wireType === FIXED64 && at + 8 <= bytes.length) return { value: bytes.readBigUInt64LE(at), end: at + 8 };
  if (wireType === FIXED32 && at + 4 <= bytes.length) return { value: BigInt(bytes.readUInt32LE(at)), end: at + 4 };
  const length = wireType === BYTES ? readVarint(bytes, at) : null;
  if (length === null) return null;
  const end = length.end + Number(length.value);
  return { value: bytes.subarray(length.end, end), end };
}

function tag(field: number, wireType: number): Buffer {
  return varint((field << 3) | wireType);
}
