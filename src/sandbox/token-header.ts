import { ROUTES, type Route } from '../push.ts';

/**
 * A sandbox token carries its meaning in its first six bytes, so that every process understands tokens of another.
 * Bytes 0 and 1 are `7b 5b` for tokens of a sandbox; other well-formed tokens are unknown. Byte 2 is the place of its
 * route in the table of providers, from 1. Byte 3 is its behaviour, and bytes 4 and 5 the behaviour's parameter,
 * big-endian. The sandbox itself ignores these three.
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
