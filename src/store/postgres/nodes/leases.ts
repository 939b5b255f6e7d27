import pg from 'pg';
import { Lease, thisInstant } from '../../../process/clock.ts';
import { packageVersion } from '../../../process/package.ts';
import { NO_SCHEMA, refuseSchema, SCHEMA, type SchemaVersion } from '../../schema/version.ts';
import { type OnTrouble, reportsOf } from '../../upkeep.ts';
import type { Connections } from '../connections.ts';
import { ConnectionLost } from '../errors.ts';
import { readMigrations } from '../migrations.ts';
import { rowsOver } from './asking.ts';
import type { Changes } from './changes.ts';

/** Stands for changes outside of nodes, such as commands without a server. */
export const NO_NODE = 0;

/** Reported with each heartbeat. */
export interface NodeAbout {
  /** Its listening address; null: none yet. */
  readonly address: string | null;
  /** Stored as JSON. */
  readonly health: object;
}

interface NodeSettings {
  readonly name: string;
  readonly leaseMs: number;
  /** Whether notices reach this node. */
  readonly canHear: () => boolean;
  readonly onTrouble: OnTrouble;
}

/** This process's membership among the servers. */
export interface Membership {
  /** Ids are never reused: an eviction brings a new one. */
  readonly node: number;
  /** The time in which this node owns its claims. */
  readonly lease: Lease;
  /** Sets the report of later heartbeats. */
  introduce(about: () => NodeAbout): void;
  /** Renews the lease, or rejoins as a new node after an eviction. Rejects if both fail. */
  beat(): Promise<void>;
  /** `listener` runs after a rejoin, when other nodes own earlier claims. */
  onAnew(listener: () => void): void;
  /** `listener` runs after each regular beat. */
  onBeat(listener: () => void): void;
  /**
   * `listener` runs after a beat at which the queue's time had gone back, and again once transactions with a time from before
   * have ended. If it rejects, it runs after the next beat.
   */
  onClockBack(listener: () => Promise<void>): void;
  /** Leaves, and frees its claims at once. */
  leave(): Promise<void>;
}

const EVICT = 'SELECT evict_overdue(are_all_silent(), 2000) AS "isLeft"';
const LEAVE = 'SELECT leave_node($1) AS "isGone"';

/** A node without a renewal for this long is evicted. */
export const LEASE_MS = 10_000;
const LONGEST_BEAT_MS = 2_000;
/** After this time, transactions that began before have ended. */
const ENDED_MS = 20_000;
/** Slower than this, clocks are slewed. */
const SET_BACK_MS = 1_000;
/** The trusted part of a lease, from its request: sending stops well before another node takes over. */
const TRUSTED = 0.8;

interface Joined {
  readonly node: number;
  readonly revocations_seen: number;
}
interface Beaten {
  readonly renewed: boolean;
  readonly now_ms: number;
  /** Time that the database's clock has skipped in all. */
  readonly skipped_ms: number;
}

/** A time of the database, in an answer. `steadyMs`: by this process, when it was asked and answered. */
interface Beat {
  readonly nowMs: number;
  readonly askedSteadyMs: number;
  readonly steadyMs: number;
}

/** Makes this process a node, renews its lease, and evicts nodes with expired ones. */
export async function joinAs(
  connections: Connections,
  changes: Changes,
  { name, leaseMs, canHear, onTrouble }: NodeSettings,
): Promise<Membership> {
  const askRow = rowsOver(connections);
  const lease = new Lease();
  const anewListeners: (() => void)[] = [];
  const beatListeners: (() => void)[] = [];
  const clockBackListeners: (() => Promise<void>)[] = [];
  let lastBeat: Beat | null = null;
  /** Time that the database's clock has skipped so far. */
  let skippedMs = 0;
  let isClockBack = false;
  let followAgainAtMs = Number.POSITIVE_INFINITY;
  let about = (): NodeAbout => ({ address: null, health: {} });
  let clockOffMs = 0;
  let node = await join();
  let beating: Promise<void> | null = null;
  let evicting: Promise<void> | null = null;
  const reports = reportsOf('lease', onTrouble);

  /** Joins as a new node. Migrations may delay it. */
  async function join(): Promise<number> {
    const since = thisInstant();
    const { rows } = await connections.transaction(
      'long write',
      async ({ ask, sql }, { wallMs }) => {
        // Orders itself with an upgrade that makes older nodes leave.
        const schema = await sql.get<object, SchemaVersion>(`${SCHEMA} FOR SHARE`)({});
        refuseSchema(schema ?? NO_SCHEMA, readMigrations(), connections.place);
        noteClock(wallMs, since.steadyNs);
        skippedMs = -((await sql.value<object, number>('SELECT queue_time(0)')({})) ?? 0);
        return ask({ text: 'SELECT * FROM join_node($1, $2, $3)', values: [name, packageVersion(), leaseMs] });
      },
      { first: `SET LOCAL lock_timeout = ${leaseMs}` },
    );
    const [{ node: joined, revocations_seen }] = rows as readonly [Joined];
    await changes.readAs(joined, revocations_seen);
    lease.renew(since, leaseMs * TRUSTED);
    return joined;
  }

  /** Renews the lease after marking revoked pushes. */
  async function beat(): Promise<void> {
    const since = thisInstant();
    const { address, health } = about();
    const { renewed, now_ms, skipped_ms } = await askRow<Beaten>('SELECT * FROM beat_node($1, $2, $3, $4, $5, $6)', [
      node,
      address,
      JSON.stringify(health),
      canHear(),
      clockOffMs,
      lastBeat && Math.round(lastBeat.nowMs + steadyMsOf(since.steadyNs) - lastBeat.askedSteadyMs),
    ]);
    noteClock(now_ms, since.steadyNs);
    // Until this was counted, deadlines were set by a time too late.
    if (skipped_ms > skippedMs) isClockBack = true;
    skippedMs = skipped_ms;
    clockOffMs = Math.round((since.wallMs + Date.now()) / 2) - now_ms;
    if (!renewed) return joinAnew();
    await changes.look();
    lease.renew(since, leaseMs * TRUSTED);
  }

  /** At least the time between the last answer and this question has passed, by whatever clock. */
  function noteClock(nowMs: number, askedNs: bigint): void {
    const askedSteadyMs = steadyMsOf(askedNs);
    const passedMs = lastBeat === null ? 0 : askedSteadyMs - lastBeat.steadyMs;
    if (lastBeat !== null && nowMs - lastBeat.nowMs < passedMs - SET_BACK_MS) isClockBack = true;
    lastBeat = { nowMs, askedSteadyMs, steadyMs: steadyMsOf(process.hrtime.bigint()) };
  }

  /** The clock may go back again meanwhile. */
  async function followClock(): Promise<void> {
    const nowMs = performance.now();
    if (!isClockBack && nowMs < followAgainAtMs) return;
    followAgainAtMs = isClockBack ? nowMs + ENDED_MS : Number.POSITIVE_INFINITY;
    isClockBack = false;
    try {
      for (const listener of clockBackListeners) await listener();
    } catch (error) {
      isClockBack = true;
      throw error;
    }
  }

  /** Frees dead nodes' claims in parts, beside the heartbeats, so no lease ends meanwhile. */
  async function evictOverdue(): Promise<void> {
    for (let isLeft = true; isLeft; ) ({ isLeft } = await askRow<{ readonly isLeft: boolean }>(EVICT, []));
  }

  function evictOnce(): Promise<void> {
    evicting ??= evictOverdue().finally(() => {
      evicting = null;
    });
    return evicting;
  }

  /** Revokes all claimed pushes before any is sent again. */
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

  /** The next heartbeat makes up for a failure. Unreachable databases are reported elsewhere. */
  function beatNow(): void {
    beatOnce()
      .then(evictOnce)
      .then(followClock)
      .then(() => {
        for (const listener of beatListeners) listener();
      })
      .then(reports.succeeded, (error) => {
        if (!(error instanceof ConnectionLost)) reports.failed(error);
      });
  }

  async function leaveInParts(): Promise<void> {
    for (let isGone = false; !isGone; ) ({ isGone } = await askRow<{ readonly isGone: boolean }>(LEAVE, [node]));
  }
  const timer = setInterval(beatNow, Math.min(LONGEST_BEAT_MS, leaseMs / 5)).unref();
  // The upgrade waits for this lease: no renewal prolongs it.
  changes.onDismissed(() => clearInterval(timer));

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
    onBeat: (listener) => void beatListeners.push(listener),
    onClockBack: (listener) => void clockBackListeners.push(listener),
    async leave() {
      clearInterval(timer);
      await beating?.catch(() => {});
      lease.giveUp();
      // Other nodes can finish a begun leave.
      await leaveInParts().catch(() => {});
    },
  };
}

function steadyMsOf(ns: bigint): number {
  return Number(ns / 1_000_000n);
}

/** Whether this node was evicted, so nothing was claimed. */
export function isEvicted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === 'PU001';
}
