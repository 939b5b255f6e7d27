import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** A header field by its name in lower case. Node reads them as Latin-1, and clients write them as UTF-8. */
export function headerText({ headers }: IncomingMessage, name: string): string | undefined {
  const given = headers[name];
  if (typeof given !== 'string') return undefined;
  const bytes = Buffer.from(given, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : given;
}
