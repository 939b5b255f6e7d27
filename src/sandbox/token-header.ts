import { ROUTES, type Route } from '../push.ts';
import { type BehaviourName, behaviourAt, numberOf } from './behaviours.ts';

/**
 * A sandbox token carries its meaning in its first six bytes, so that a token issued by one process is understood by
 * every other one:
 *
 * | byte | meaning                                                                          |
 * |------|----------------------------------------------------------------------------------| | 0, 1 | `7b 5b`: issued
 * by a sandbox. Anything else that is well formed is an unknown token | | 2    | where it is at home: the place of its
 * route in the table of providers, from 1    | | 3    | its behaviour: the place in the list of behaviours.ts
 *                  | | 4, 5 | the behaviour's parameter, big-endian (milliseconds or seconds, see there)       |
 */
export interface IssuedToken {
  readonly home: Route;
  readonly behaviour: BehaviourName;
  readonly parameter: number;
}

/** As a device that no sandbox has made, such as a real browser, answers by itself. */
export function healthy(home: Route): IssuedToken {
  return { home, behaviour: 'accept', parameter: 0 };
}

const MAGIC = Buffer.from('7b5b', 'hex');
export const HEADER_BYTES = 6;

export function encodeHeader({ home, behaviour, parameter }: IssuedToken): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt8(ROUTES.indexOf(home) + 1, 2);
  header.writeUInt8(numberOf(behaviour), 3);
  header.writeUInt16BE(parameter, 4);
  return header;
}

/** null: no sandbox made it. */
export function decodeHeader(header: Buffer): IssuedToken | null {
  if (header.compare(MAGIC, 0, 2, 0, 2) !== 0) return null;
  const home = ROUTES[header.readUInt8(2) - 1];
  const behaviour = behaviourAt(header.readUInt8(3));
  if (home === undefined || behaviour === null) return null;
  return { home, behaviour, parameter: header.readUInt16BE(4) };
}
