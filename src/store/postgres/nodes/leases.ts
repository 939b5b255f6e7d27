import pg from 'pg';
import { Lease, thisInstant } from '../../../process/lease.ts';
import { packageVersion } from '../../../process/package.ts';
import { type OnTrouble, reportsOf } from '../../upkeep.ts';
import type { Connections } from '../connections.ts';
import { ConnectionLost } from '../errors.ts';
import { rowsOver } from './asking.ts';
import type { Changes } from './changes.ts';

/** Stands for changes that no node made, such as those of commands without a server. */
export const NO_NODE = 0;

/** Facts that a node reports with each heartbeat. */
export interface NodeAbout {
  /** The address that it listens on; null: none yet. */
  readonly address: string | null;
  /** Stored as JSON. */
  readonly health: object;
}

export interface NodeSettings {
  readonly name: string;
  readonly leaseMs: number;
  /** Whether notices reach this node. */
  readonly canHear: () => boolean;
  readonly onTrouble: OnTrouble;
}

/** The membership of this process among those that serve the store. */
export interface Membership {
  /** Ids are never reused. After an eviction the node has a new one. */
  readonly node: number;
  /** The time for which this node owns its claims. */
  readonly lease: Lease;
  /** Sets the report of all later heartbeats. */
  introduce(about: () => NodeAbout): void;
  /** Renews the lease, or rejoins as a new node after an eviction. Rejects if it can do neither. */
  beat(): Promise<void>;
  /** `listener` runs after the node has rejoined: by then other nodes own its earlier claims. */
  onAnew(listener: () => void): void;
  /** Leaves, which frees its claims for the other nodes at once. */
  leave(): Promise<void>;
}

const EVICT = 'SELECT evict_overdue(are_all_silent(), 2000) AS "isLeft"';
const LEAVE = 'SELECT leave_node($1) AS "isGone"';

/** A node that has not renewed its lease for this long is evicted. */
export const LEASE_MS = 10_000;
const LONGEST_BEAT_MS = 2_000;
/**
 * The part of a lease that a node trusts, counted from its request. So it stops sending well before another node takes
 * over.
 */
const TRUSTED = 0.8;

interface Joined {
  readonly node: number;
  readonly revocations_seen: number;
}
interface Beaten {
  readonly renewed: boolean;
  readonly now_ms: number;
}

/** Makes this process a node with a lease, which it renews. It also evicts nodes whose lease is over. */
export async function joinAs(
  connections: Connections,
  changes: Changes,
  { name, leaseMs, canHear, onTrouble }: NodeSettings,
): Promise<Membership> {
  const askRow = rowsOver(connections);
  const lease = new Lease();
  const anewListeners: (() => void)[] = [];
  let about = (): NodeAbout => ({ address: null, health: {} });
  let clockOffMs = 0;
  let node = await join();
  let beating: Promise<void> | null = null;
  let evicting: Promise<void> | null = null;
  const reports = reportsOf('lease', onTrouble);

  /** Joins as a new node. A schema migration may delay it. */
  async function join(): Promise<number> {
    const since = thisInstant();
    const { rows } = await connections.transaction(
      'long write',
      ({ ask }) => ask({ text: 'SELECT * FROM join_node($1, $2, $3)', values: [name, packageVersion(), leaseMs] }),
      { first: `SET LOCAL lock_timeout = ${leaseMs}` },
    );
    const [{ node: joined, revocations_seen }] = rows as readonly [Joined];
    await changes.readAs(joined, revocations_seen);
    lease.renew(since, leaseMs * TRUSTED);
    return joined;
  }

  /** Renews the lease, after revoked pushes were marked. */
  async function beat(): Promise<void> {
    const since = thisInstant();
    const { address, health } = about();
    const { renewed, now_ms } = await askRow<Beaten>('SELECT * FROM beat_node($1, $2, $3, $4, $5)', [
      node,
      address,
      JSON.stringify(health),
      canHear(),
      clockOffMs,
    ]);
    clockOffMs = Math.round((since.wallMs + Date.now()) / 2) - now_ms;
    if (!renewed) return joinAnew();
    await changes.look();
    lease.renew(since, leaseMs * TRUSTED);
  }

  /** Frees the claims of dead nodes in parts. It runs beside the heartbeats, so that no lease ends meanwhile. */
  async function evictOverdue(): Promise<void> {
    for (let isLeft = true; isLeft; ) ({ isLeft } = await askRow<{ readonly isLeft: boolean }>(EVICT, []));
  }

  function evictOnce(): Promise<void> {
    evicting ??= evictOverdue().finally(() => {
      evicting = null;
    });
    return evicting;
  }

  /** Revokes all claimed pushes before any may be sent again. */
  async function joinAnew(): Promise<void> {
    lease.giveUp();
    changes.revokeAll();
    node = await join();
    for (const listener of anewListeners) listener();
  }

  function beatOnce(): Promise<void> {
    beating ??= beat().finally(() => {
      beating = null;
    });
    return beating;
  }

  /** The next heartbeat makes up for a failed one. An unreachable database is reported elsewhere. */
  function beatNow(): void {
    beatOnce()
      .then(evictOnce)
      .then(reports.succeeded, (error) => {
        if (!(error instanceof ConnectionLost)) reports.failed(error);
      });
  }

  async function leaveInParts(): Promise<void> {
    for (let isGone = false; !isGone; ) ({ isGone } = await askRow<{ readonly isGone: boolean }>(LEAVE, [node]));
  }
  const timer = setInterval(beatNow, Math.min(LONGEST_BEAT_MS, leaseMs / 5)).unref();

  return {
    get node() {
      return node;
    },
    lease,
    introduce(report) {
      about = report;
    },
    beat: beatOnce,
    onAnew: (listener) => void anewListeners.push(listener),
    async leave() {
      clearInterval(timer);
      await beating?.catch(() => {});
      lease.giveUp();
      // Once it has begun to leave, other nodes can finish the rest.
      await leaveInParts().catch(() => {});
    },
  };
}

/** Whether the other nodes evicted this one, so that nothing was claimed. */
export function isEvicted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'PU001';
}
