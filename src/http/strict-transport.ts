import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';

/** Half a year, which starts again with each response. */
const FIELD = ['Strict-Transport-Security', `max-age=${180 * 86_400}`] as const;

const trustworthy = new WeakSet<Socket>();

/** Notes that a connection has a certificate that a client can trust. */
export function noteTrustworthy(socket: Socket): void {
  trustworthy.add(socket);
}

/**
 * The header field by which a browser never again asks this host without TLS. A person who accepts a self-signed
 * certificate could not do so any more. `localhost` is many programs' name, and browsers ignore the field at addresses.
 */
export function strictTransport({ socket, headers: { host = '' } }: IncomingMessage): readonly string[] {
  if (!trustworthy.has(socket)) return [];
  const name = host.toLowerCase().replace(/:\d*$/, '');
  const isBare = name === '' || name.startsWith('[') || isIP(name) !== 0;
  return isBare || name === 'localhost' || name.endsWith('.localhost') ? [] : FIELD;
}
