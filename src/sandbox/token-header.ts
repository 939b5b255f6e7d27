import { ROUTES, type Route } from '../push.ts';

/**
 * A token's meaning is in its first six bytes, so every process understands others' tokens. Bytes 0 and 1: `7b 5b`;
 * other well-formed tokens are unknown. Byte 2: its route's place in the table of providers, from 1. Byte 3: its
 * behaviour; bytes 4 and 5: the behaviour's parameter, big-endian. The sandbox ignores these three.
 */
export interface IssuedToken {
  readonly home: Route;
  readonly behaviour: number;
  readonly parameter: number;
}

const MAGIC = Buffer.from('7b5b', 'hex');
export const HEADER_BYTES = 6;

export function encodeHeader({ home, behaviour, parameter }: IssuedToken): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt8(ROUTES.indexOf(home) + 1, 2);
  header.writeUInt8(behaviour, 3);
  header.writeUInt16BE(parameter, 4);
  return header;
}

/** null: no sandbox made it. */
export function decodeHeader(header: Buffer): IssuedToken | null {
  if (header.compare(MAGIC, 0, 2, 0, 2) !== 0) return null;
  const home = ROUTES[header.readUInt8(2) - 1];
  if (home === undefined) return null;
  return { home, behaviour: header.readUInt8(3), parameter: header.readUInt16BE(4) };
}
