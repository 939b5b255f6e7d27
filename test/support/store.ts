import { join } from 'node:path';
import type { Moment } from '../../src/clock.ts';
import { OpenClaims } from '../../src/delivery/open-claims.ts';
import { ROUTES } from '../../src/push.ts';
import { CALL_NAMES } from '../../src/store/call-metadata.ts';
import type { Actor, AnswerOf, ArgsOf, CallName } from '../../src/store/calls.ts';
import { type Call, endsOf, unpack } from '../../src/store/carriers/reply.ts';
import { createCommitter } from '../../src/store/sqlite/committer.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { assembleHandlers } from '../../src/store/sqlite/handlers.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import type { Db, StoreSettings } from '../../src/store/sqlite/transaction.ts';
import { auditor } from '../../src/store/verbs/audit.ts';
import { rights } from '../../src/store/verbs/people/rights.ts';
import { advice } from '../../src/store/verbs/suggestions.ts';
import { temporaryFolder } from './folder.ts';

/** The time of a call that names none. */
export const NOW_MS = Date.UTC(2026, 10, 21, 9, 30, 0, 123);
const DAY_MS = 86_400_000;

/** The arguments of a call, and what the store's clocks show meanwhile. */
export type Timed<A> = A extends Record<string, never> ? Partial<Moment> : A & Partial<Moment>;

export interface TemporaryStore {
  readonly db: Db;
  /** Every call of the store, synchronous, each in a transaction of its own: `store.calls.listPlans({})`. */
  readonly calls: { readonly [N in CallName]: (args: Timed<ArgsOf<N>>, actor?: Actor) => AnswerOf<N> };
  /** The same database as after a crash: all that was kept in memory is gone. */
  restart(): TemporaryStore;
  countRows(table: string): number;
  /** One call several times in a single transaction, as when many clients ask at once. */
  together<N extends CallName>(name: N, allArgs: readonly Timed<ArgsOf<N>>[]): AnswerOf<N>[];
  /** Different calls in a single transaction. */
  group(calls: readonly Call[]): unknown[];
  /** What the relay has out of it. */
  readonly openClaims: OpenClaims;
}

/** A store of this test's own, in a new file, in this process. It goes when the process ends. */
export function temporaryStore(settings: Partial<StoreSettings> = {}): TemporaryStore {
  const db = openDatabase(join(temporaryFolder(), 'pushctl.db'));
  migrate(db);
  const store = storeOver(db, someSettings(settings));
  // As the relay does at its start: the queue is taken up before anything comes into it.
  store.calls.expireOverdue({});
  return store;
}

function storeOver(db: Db, settings: StoreSettings): TemporaryStore {
  let now = momentIn();
  const clock = { wallMs: () => now.wallMs, steadyMs: () => now.steadyMs };
  const committer = createCommitter(db, (hooks) => assembleHandlers(db, settings, hooks), {
    rights: rights(db),
    record: auditor(db),
    advise: advice(db),
    clock,
  });
  const openClaims = new OpenClaims(clock);
  /** At the time that the first call names. */
  const run = (group: readonly Call[]): unknown[] => {
    now = momentIn(group[0]?.args as Partial<Moment>);
    const replies = committer.run(group);
    openClaims.recall(endsOf(replies));
    return replies.map(unpack);
  };
  const calls = CALL_NAMES.map((name) => {
    return [name, (args: unknown, actor?: Actor) => run([{ name, args, ...(actor && { actor }) }])[0]];
  });
  return {
    db,
    calls: Object.fromEntries(calls),
    restart: () => storeOver(db, settings),
    countRows: (table) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0,
    together: <N extends CallName>(name: N, allArgs: readonly Timed<ArgsOf<N>>[]) =>
      run(allArgs.map((args) => ({ name, args }))) as AnswerOf<N>[],
    group: run,
    openClaims,
  };
}

/** The verbs alone, without a transaction around them, each called at the time that its arguments name. */
export function callsOf(db: Db): TemporaryStore['calls'] {
  const handlers = assembleHandlers(db, someSettings(), {
    onRollback() {},
    onCommit() {},
    tellEnd() {},
    attempt: (part) => ({ done: part() }),
  });
  const calls = CALL_NAMES.map((name) => {
    const handler = handlers[name] as (args: unknown, now: Moment) => unknown;
    return [name, (args: Partial<Moment>) => handler(args, momentIn(args))];
  });
  return Object.fromEntries(calls);
}

function momentIn({ wallMs = NOW_MS, steadyMs = wallMs }: Partial<Moment> = {}): Moment {
  return { wallMs, steadyMs };
}

/** All routes configured, and the defaults of the configuration. */
export function someSettings(settings: Partial<StoreSettings> = {}): StoreSettings {
  return {
    routes: ROUTES,
    ttlMs: DAY_MS,
    longestWaitMs: 900_000,
    eventsRetentionMs: 90 * DAY_MS,
    deliveriesRetentionMs: 7 * DAY_MS,
    auditRetentionMs: 365 * DAY_MS,
    statsRetentionMs: 400 * DAY_MS,
    limits: { channels: 500, keys: 200, members: 500, devices: 50 },
    maxSizeBytes: null,
    ...settings,
  };
}
