/** Translates errors of PostgreSQL and the connection for operators. */
import pg from 'pg';
import { OperatorProblem } from '../../process/problem.ts';
import { bugReply, type Damage, type Reply } from '../reply.ts';

/** No answer in time. The statement may still run. */
export class NoAnswer extends Error {
  constructor() {
    super('no answer in time');
  }
}

/** The database was unreachable, or the connection broke: a running commit may have happened. */
export class ConnectionLost extends Error {
  /** Caused by `NoAnswer`. */
  readonly isSilent: boolean;
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'ConnectionLost';
    this.isSilent = cause instanceof NoAnswer;
  }
}

/** Describes an error if the database is at fault, not the program; else undefined. */
export function unavailableReason(error: unknown): string | undefined {
  if (error instanceof ConnectionLost) return `the connection to the database is lost (${error.message})`;
  if (!(error instanceof pg.DatabaseError)) return undefined;
  const code = error.code ?? '';
  return UNAVAILABLE.test(code) ? `${error.message} (${code})` : undefined;
}

/** Returns a throwing call's reply: unavailable if the database is at fault, else a bug. */
export function errorReply(error: unknown): Reply {
  const reason = unavailableReason(error);
  if (reason === undefined) return bugReply(error);
  return {
    kind: 'unavailable',
    reason,
    ...(error instanceof ConnectionLost && { mayBeDone: true }),
    ...damageIn(error),
  };
}

/**
 * Returns whether PostgreSQL found a damaged page or index entry, or an I/O error of the disk. Other data stays usable,
 * and repairs need no stop. Messages are translated, names of routines (`mdreadv`, `mdextend`) are not.
 */
function damageIn(error: unknown): { readonly damage?: Damage } {
  if (!(error instanceof pg.DatabaseError)) return {};
  switch (error.code) {
    case 'XX001':
    case 'XX002':
      return { damage: 'passing' };
    case '58030':
      return { damage: /read/i.test(`${error.routine} ${error.message}`) ? 'passing' : 'unwritten' };
    default:
      return {};
  }
}

/** Most attempts at a conflicting transaction. */
const MOST_TRIES = 5;

/**
 * Whether a transaction failed by conflict: a retry may succeed, or is clearly rejected. Conflicts: serialization
 * failures, deadlocks, or an alert reopened while an event with its key opened another.
 */
function isConflict(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return ['40001', '40P01'].includes(error.code ?? '') || (error.code === '23505' && error.constraint === 'alert_live');
}

/** Retries a transaction after conflicts. */
export async function retryingConflicts<T>(begin: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await begin();
    } catch (error) {
      if (!isConflict(error) || tries === MOST_TRIES) throw error;
    }
  }
}

/** Whether others held a lock beyond the limit, or waited for ours in return. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? '');
}

/**
 * SQLSTATEs (https://www.postgresql.org/docs/current/errcodes-appendix.html), as classes or single codes: connections,
 * passwords, lasting conflicts, exhausted resources, timeouts, servers starting, stopping or read-only, damaged files,
 * revoked rights.
 */
const UNAVAILABLE = /^(?:08|28|40|53|57|58|F0|XX001|XX002|25006|55P03|42501|3D000)/;

/** Returns advice if a database could not be opened. Other errors stay. */
export function openingProblem(place: string, error: unknown): Error {
  if (error instanceof ConnectionLost) return unreachableProblem(place, error);
  if (!(error instanceof pg.DatabaseError)) return error as Error;
  switch (error.code) {
    case '28P01':
      return new OperatorProblem(`${place} rejects the user or its password.`, 1, {
        advice: 'Check the user in [store] url, and the password there or in [store] password_file.',
      });
    case '28000':
      return new OperatorProblem(`${place} rejects this sign-in: ${error.message}.`, 1, {
        advice: /^Peer authentication/.test(error.message)
          ? "Give the user a password, or map the system's users (including root) to it in the server's pg_ident.conf."
          : 'Check the user and sslmode in [store] url, and the pg_hba.conf of the server.',
      });
    case '3D000':
      return new OperatorProblem(`${place} does not exist.`, 1, {
        advice: 'Create the database with the encoding UTF8, or check [store] url.',
      });
    case '42501':
      return new OperatorProblem(`${place}: ${error.message}.`, 1, {
        advice: 'pushctl creates its tables itself. Give its user the right to do so (GRANT CREATE, USAGE ON SCHEMA).',
      });
    case '25006':
      return new OperatorProblem(`${place} is read-only: it is a standby, or set to read-only.`, 1, {
        advice: 'Name the primary in [store] url.',
      });
    case '53300':
      return new OperatorProblem(`${place} has no free connection.`, 75, {
        advice: 'Raise its max_connections, or close other connections.',
      });
    case '57P03':
      return new OperatorProblem(`${place} is starting or stopping.`, 75, { advice: 'Try again in a moment.' });
    default:
      return new OperatorProblem(`${place} cannot be used: ${error.message} (${error.code}).`);
  }
}

/** OpenSSL's codes for untrusted certificates. */
const UNTRUSTED = /^(?:UNABLE_TO_(?:VERIFY|GET)_|SELF_SIGNED_CERT|DEPTH_ZERO_|CERT_|INVALID_CA)/;

function unreachableProblem(place: string, { cause }: ConnectionLost): OperatorProblem {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (/does not support SSL/.test(message)) {
    return new OperatorProblem(`${place} offers no TLS.`, 1, {
      advice: 'Turn TLS on there, or set sslmode=disable in [store] url if the network is safe.',
    });
  }
  if (/client password must be a/.test(message)) {
    return new OperatorProblem(`${place} asks for a password, but none is configured.`, 1, {
      advice: 'Write it into a file, and set [store] password_file to that file.',
    });
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new OperatorProblem(`${place} has a certificate for another name.`, 1, {
      advice: 'Use the name of its certificate in [store] url, or create a certificate for the name there.',
    });
  }
  if (UNTRUSTED.test(code ?? '')) {
    return new OperatorProblem(
      `${place} has a certificate that is not trusted: ${message.replace(/; if .*/, '')}.`,
      1,
      {
        advice: 'Set [store] ca_file to the CA that signed it.',
      },
    );
  }
  return new OperatorProblem(`${place} cannot be reached: ${message || code}.`, 75, {
    advice: 'Check [store] url, and whether the server runs and listens there.',
  });
}
