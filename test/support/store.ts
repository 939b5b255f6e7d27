import * as assert from 'uvu/assert';
import { OpenClaims } from '../../src/delivery/open-claims.ts';
import type { Clock, Moment } from '../../src/process/clock.ts';
import { ROUTES } from '../../src/push.ts';
import { type Actor, type AnswerOf, type ArgsOf, CALL_NAMES, type CallName } from '../../src/store/calls.ts';
import { carryOut } from '../../src/store/client.ts';
import { type CallRequest, type Reply, revocationsOf, unpack } from '../../src/store/reply.ts';
import type { StoreSettings } from '../../src/store/settings.ts';
import { assembleHandlers } from '../../src/store/sqlite/handlers.ts';
import type { Db } from '../../src/store/sqlite/transaction.ts';
import { type Engine, type OpenEngine, SQLITE, type SqliteOnly } from './engines.ts';

/** The time of a call that names none. */
export const NOW_MS = Date.UTC(2026, 10, 21, 9, 30, 0, 123);
const DAY_MS = 86_400_000;

/** The arguments of a call, and what the store's clocks show meanwhile. */
export type Timed<A> = A extends Record<string, never> ? Partial<Moment> : A & Partial<Moment>;

/** A store of one test's own. */
export interface TemporaryStore {
  /** Every call of the store, each in a transaction of its own: `await store.calls.listPlans({})`. */
  readonly calls: { readonly [N in CallName]: (args: Timed<ArgsOf<N>>, actor?: Actor) => Promise<AnswerOf<N>> };
  /** The claims that the relay has out of it. */
  readonly openClaims: OpenClaims;
  /** The same store as after a crash: all that was kept in memory is gone. */
  restart(): Promise<TemporaryStore>;
  countRows(table: string): Promise<number>;
  /** One call several times at once, as when many clients ask: on SQLite in a single transaction. */
  together<N extends CallName>(name: N, allArgs: readonly Timed<ArgsOf<N>>[]): Promise<AnswerOf<N>[]>;
  /** Different calls at once: on SQLite in a single transaction. */
  group(calls: readonly CallRequest[]): Promise<unknown[]>;
}
export interface SqliteStore extends TemporaryStore, SqliteOnly {
  restart(): Promise<SqliteStore>;
}

/** Without an engine: of SQLite, to be looked into. */
export async function temporaryStore(settings?: Partial<StoreSettings>): Promise<SqliteStore>;
export async function temporaryStore(of: Partial<StoreSettings> & { readonly engine: Engine }): Promise<TemporaryStore>;
export async function temporaryStore({
  engine = SQLITE,
  ...settings
}: Partial<StoreSettings> & { readonly engine?: Engine } = {}): Promise<TemporaryStore> {
  const clock = new CallersClock();
  return storeOver(await engine.open(someSettings(settings), clock), clock);
}

function storeOver(engine: OpenEngine, clock: CallersClock): TemporaryStore {
  const openClaims = new OpenClaims(clock);
  engine.onRevocations?.((revocations) => openClaims.revoke(revocations));
  /** One group after the other, each at the time that its first call names. */
  let last: Promise<unknown> = Promise.resolve();
  const ask = (group: readonly CallRequest[]): Promise<readonly Reply[]> => {
    const asked = last.then(async () => {
      clock.set(group[0]?.args as Partial<Moment>);
      const replies = await engine.run(group);
      openClaims.revoke(revocationsOf(replies));
      return replies;
    });
    last = asked.catch(() => {});
    return asked;
  };
  const run = async (group: readonly CallRequest[]) => (await ask(group)).map(unpack);
  const transport = { ask: async (call: CallRequest) => (await ask([call]))[0] as Reply };
  const calls = CALL_NAMES.map((name) => {
    return [name, (args: unknown, actor?: Actor) => carryOut(transport, { name, args, ...(actor && { actor }) })];
  });
  return {
    ...engine.own,
    calls: Object.fromEntries(calls),
    openClaims,
    restart: async () => storeOver(await engine.restart(), clock),
    countRows: (table) => engine.countRows(table),
    together: async <N extends CallName>(name: N, allArgs: readonly Timed<ArgsOf<N>>[]) =>
      (await run(allArgs.map((args) => ({ name, args })))) as AnswerOf<N>[],
    group: run,
  };
}

/** Shows what the call under way names. */
class CallersClock implements Clock {
  #now = momentIn();

  set(of?: Partial<Moment>): void {
    this.#now = momentIn(of);
  }

  wallMs(): number {
    return this.#now.wallMs;
  }

  steadyMs(): number {
    return this.#now.steadyMs;
  }
}

/** The handlers alone, without a transaction around them, each called at the time that its arguments name. */
export function callsOf(db: Db): TemporaryStore['calls'] {
  const handlers = assembleHandlers(db, someSettings(), {
    onRollback() {},
    reportRevocation() {},
    attempt: async (part) => ({ done: await part() }),
  });
  const calls = CALL_NAMES.map((name) => {
    const handler = handlers[name] as (args: unknown, now: Moment) => unknown;
    return [name, async (args: Partial<Moment>) => handler(args, momentIn(args))];
  });
  return Object.fromEntries(calls);
}

/** The call must end in an unexpected error. */
export async function fails(call: Promise<unknown>): Promise<void> {
  const outcome = await call.then(
    () => 'an answer',
    () => 'an error',
  );
  assert.is(outcome, 'an error');
}

function momentIn({ wallMs = NOW_MS, steadyMs = wallMs }: Partial<Moment> = {}): Moment {
  return { wallMs, steadyMs };
}

/** All routes configured, and the defaults of the configuration. */
export function someSettings(settings: Partial<StoreSettings> = {}): StoreSettings {
  return {
    routes: ROUTES,
    addresses: { pushHosts: [], apps: ['com.example.app', 'com.example.partner'] },
    ttlMs: DAY_MS,
    longestWaitMs: 900_000,
    eventsRetentionMs: 90 * DAY_MS,
    deliveriesRetentionMs: 7 * DAY_MS,
    auditRetentionMs: 365 * DAY_MS,
    statsRetentionMs: 400 * DAY_MS,
    sessions: { lifeMs: 90 * DAY_MS, isProviderOnly: false },
    limits: { channels: 500, heartbeats: 100, keys: 200, members: 500, devices: 50 },
    maxSizeBytes: null,
    ...settings,
  };
}
