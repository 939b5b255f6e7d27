import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';

/** Half a year, renewed by each response. */
const FIELD = ['Strict-Transport-Security', `max-age=${180 * 86_400}`] as const;

const trustworthy = new WeakSet<Socket>();

export function noteTrustworthy(socket: Socket): void {
  trustworthy.add(socket);
}

/**
 * Returns HSTS if safe: after it nobody could accept a self-signed certificate. `localhost` is many programs' name, and
 * browsers ignore HSTS for addresses.
 */
export function strictTransport({ socket, headers: { host = '' } }: IncomingMessage): readonly string[] {
  if (!trustworthy.has(socket)) return [];
  const name = host.toLowerCase().replace(/:\d*$/, '');
  const isBare = name === '' || name.startsWith('[') || isIP(name) !== 0;
  return isBare || name === 'localhost' || name.endsWith('.localhost') ? [] : FIELD;
}
