import type { SMTPServer } from 'smtp-server';

type Connection = SMTPServer['connections'] extends Set<infer C> ? C : never;

/** `RCPT TO:<alerts>`, up to the bracket at the end. The address is no empty one, and has no domain. */
const BARE = /^([^<>:]+:[ \t]*<[^<>@\s]+)(?=>)/;

/** A placeholder: no domain is looked at. */
const DOMAIN = '@localhost';

/** Has a connection take addresses without a domain, as devices write them: smtp-server refuses them. */
export function takeBareAddresses(connection: Pick<Connection, 'handler_MAIL' | 'handler_RCPT'>): void {
  for (const name of ['handler_MAIL', 'handler_RCPT'] as const) {
    const handle = connection[name].bind(connection);
    connection[name] = (command, callback) => handle(withDomain(command), callback);
  }
}

function withDomain(command: Buffer): Buffer {
  // Byte by byte, so that what is no ASCII stays as it is.
  return Buffer.from(command.toString('latin1').replace(BARE, `$1${DOMAIN}`), 'latin1');
}
