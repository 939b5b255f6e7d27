import pg from 'pg';
import { Lease, thisInstant } from '../../../process/lease.ts';
import { packageVersion } from '../../../process/package.ts';
import { type OnTrouble, reportsOf } from '../../upkeep.ts';
import type { Connections } from '../connections.ts';
import { ConnectionLost } from '../errors.ts';
import { rowsOver } from './asking.ts';
import type { Changes } from './changes.ts';

/** What no single node has done, such as commands without a server. */
export const NO_NODE = 0;

/** What a node reports of itself with each beat. */
export interface NodeAbout {
  /** Where it listens; null: not yet. */
  readonly address: string | null;
  /** As JSON. */
  readonly health: object;
}

export interface NodeSettings {
  readonly name: string;
  readonly leaseMs: number;
  /** Whether notices reach it. */
  readonly canHear: () => boolean;
  readonly onTrouble: OnTrouble;
}

/** This process as one of those that serve the store. */
export interface Membership {
  /** Never given again; another one after the node was taken for dead. */
  readonly node: number;
  /** For how long what this node has out is its own. */
  readonly lease: Lease;
  /** From now on each beat reports this. */
  introduce(about: () => NodeAbout): void;
  /** Renews the lease, or joins as a new node where the others took this one for dead. Rejects where it can do neither. */
  beat(): Promise<void>;
  /** `listener` runs once it has joined anew: what it had out is others' by then. */
  onAnew(listener: () => void): void;
  /** What it has out is free for the others at once. */
  leave(): Promise<void>;
}

const EVICT = 'SELECT evict_overdue(are_all_silent(), 2000) AS "isLeft"';
const LEAVE = 'SELECT leave_node($1) AS "isGone"';

/** A node that has not renewed it for so long is taken for dead. */
export const LEASE_MS = 10_000;
const LONGEST_BEAT_MS = 2_000;
/**
 * Of its lease a node trusts only so much, from the moment at which it asked for it: so it has stopped sending well
 * before another node takes over.
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

/** Makes this process a node with a lease, which it renews, and evicts those whose lease is over. */
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

  /** An engine migration may keep it waiting. */
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

  /** Before it trusts its lease anew, it marks what was revoked. */
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

  /** What a dead node has left goes to the others a part at a time, beside the beats, so that no lease ends meanwhile. */
  async function evictOverdue(): Promise<void> {
    for (let isLeft = true; isLeft; ) ({ isLeft } = await askRow<{ readonly isLeft: boolean }>(EVICT, []));
  }

  function evictOnce(): Promise<void> {
    evicting ??= evictOverdue().finally(() => {
      evicting = null;
    });
    return evicting;
  }

  /** All that is out is called back before anything may be sent again. */
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

  /** One that fails is made up for by the next. A database that cannot be reached is reported elsewhere. */
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
      // Once it has begun, the others can do the rest of it.
      await leaveInParts().catch(() => {});
    },
  };
}

/** The others took this node for dead: nothing was claimed. */
export function isEvicted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'PU001';
}
