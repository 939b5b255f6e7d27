import type { SMTPServer } from 'smtp-server';

type Connection = SMTPServer['connections'] extends Set<infer C> ? C : never;

/** `RCPT TO:<alerts>` up to the bracket: non-empty, without a domain. */
const BARE = /^([^<>:]+:[ \t]*<[^<>@\s]+)(?=>)/;

/** A placeholder, never looked at. */
const DOMAIN = '@localhost';

/** Lets a connection take addresses without a domain, which devices write and smtp-server refuses. */
export function takeBareAddresses(connection: Pick<Connection, 'handler_MAIL' | 'handler_RCPT'>): void {
  for (const name of ['handler_MAIL', 'handler_RCPT'] as const) {
    const handle = connection[name].bind(connection);
    connection[name] = (command, callback) => handle(withDomain(command), callback);
  }
}

function withDomain(command: Buffer): Buffer {
  // Keeps non-ASCII bytes unchanged.
  return Buffer.from(command.toString('latin1').replace(BARE, `$1${DOMAIN}`), 'latin1');
}
