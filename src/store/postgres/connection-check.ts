/** Tests a database connection: whether it is safe, and notices arrive. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { TLSSocket } from 'node:tls';
import type pg from 'pg';
import { OperatorProblem } from '../../process/problem.ts';
import { Client, lost, placeOf } from './client.ts';
import { CONNECT_MS, type Connections } from './connections.ts';
import { openingProblem } from './errors.ts';

export interface ConnectionCheck {
  /** `TLSv1.3`; null: unencrypted. */
  readonly tls: string | null;
  /** Whether the server proved its name. */
  readonly isVerified: boolean;
  /** Whether it stays on this machine. */
  readonly isLocal: boolean;
}

/** `swallowed`: neither error nor notice. `problem`: why listening fails. */
export type Notices =
  | { readonly kind: 'arrive'; readonly place: string }
  | { readonly kind: 'swallowed'; readonly place: string }
  | { readonly kind: 'unreachable'; readonly place: string; readonly problem: OperatorProblem };

export async function checkConnection(url: string): Promise<ConnectionCheck> {
  return connected(url, async ({ connection }) => {
    // The driver's types lack the TLS stream.
    const stream: unknown = connection.stream;
    const isLocal = !('remoteAddress' in connection.stream) || isLoopback(connection.stream.remoteAddress);
    if (!(stream instanceof TLSSocket)) return { tls: null, isVerified: false, isLocal };
    return { tls: stream.getProtocol(), isVerified: stream.authorized, isLocal };
  });
}

const NOTICE_MS = 5_000;

/**
 * Listens at `listenUrl`, and notifies over the usual connections. Transaction poolers, and other databases, accept
 * LISTEN without delivering notices.
 */
export async function tryNotices(connections: Connections, listenUrl: string, noticeMs = NOTICE_MS): Promise<Notices> {
  const place = placeOf(listenUrl);
  const channel = `pushctl_try_${randomBytes(8).toString('hex')}`;
  try {
    return await connected(listenUrl, async (client) => {
      await client.query(`LISTEN ${channel}`);
      const notice = once(client, 'notification', { signal: AbortSignal.timeout(noticeMs) });
      const kind = notice.then(
        () => 'arrive' as const,
        () => 'swallowed' as const,
      );
      await connections.lend(({ execute }) => execute(`NOTIFY ${channel}`));
      return { kind: await kind, place };
    });
  } catch (error) {
    const problem = openingProblem(place, error);
    if (problem instanceof OperatorProblem) return { kind: 'unreachable', place, problem };
    throw error;
  }
}

async function connected<T>(url: string, use: (client: pg.Client) => T | Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'pushctl',
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect().catch(lost);
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Unix sockets have no address. */
function isLoopback(address: unknown): boolean {
  return address === undefined || (typeof address === 'string' && /^(?:::ffff:)?127\.|^::1$/.test(address));
}
