import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Returns a header field as UTF-8; Node reads Latin-1. */
export function headerText({ headers }: IncomingMessage, name: string): string | undefined {
  const given = headers[name];
  if (typeof given !== 'string') return undefined;
  const bytes = Buffer.from(given, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : given;
}
