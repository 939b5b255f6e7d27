import { suite } from 'uvu';
import type { Clock } from '../../src/process/clock.ts';
import type { Revocation } from '../../src/store/calls.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { openPostgres, type PostgresNode } from '../../src/store/postgres/engine.ts';
import type { CallRequest, Reply } from '../../src/store/reply.ts';
import type { StoreSettings } from '../../src/store/settings.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { committerOver } from '../../src/store/sqlite/engine.ts';
import type { Db } from '../../src/store/sqlite/transaction.ts';
import { dataFolder } from './data-folder.ts';
import { chosenEngines, type EngineName } from './engine-names.ts';
import { giveBackKept, type KeptSchema, keptSchema, passOn } from './kept-schema.ts';
import { temporarySchema } from './postgres.ts';

/** An engine that carries out the calls of the store. `Own`: the inner parts for tests of this engine alone. */
export interface Engine<Own = object> {
  readonly name: EngineName;
  /** An empty store, whose every time is read from `clock`. It goes when the process ends. */
  open(settings: StoreSettings, clock: Clock): Promise<OpenEngine<Own>>;
}

export interface OpenEngine<Own = object> {
  readonly own: Own;
  /** Carries out a group of calls as one. */
  run(calls: readonly CallRequest[]): Promise<readonly Reply[]>;
  /** Present if revocations do not come with the replies. */
  onRevocations?(listener: (revocations: readonly Revocation[]) => void): void;
  /** The same store as after a crash: all that was kept in memory is gone. */
  restart(): Promise<OpenEngine<Own>>;
  countRows(table: string): Promise<number>;
}

export interface SqliteOnly {
  readonly db: Db;
}

export const SQLITE: Engine<SqliteOnly> = {
  name: 'sqlite',
  async open(settings, clock) {
    const db = openDatabase(databasePath(dataFolder()));
    const engine = overDatabase(db, settings, clock);
    // Acts like the relay at its start: the queue is taken up before anything comes into it.
    await engine.run([{ name: 'expireOverdue', args: {} }]);
    return engine;
  },
};

/** A lease that no pause of a busy machine ends. */
export const HOUR_MS = 3_600_000;

export interface PostgresOnly {
  readonly store: PostgresNode;
  readonly url: string;
}

/** Each store is a schema of the cluster that the tests of a run share. */
export const POSTGRES: Engine<PostgresOnly> = {
  name: 'postgres',
  open: async (settings, clock) => overSchema({ url: await temporarySchema() }, settings, clock),
};

/** The same in a schema that tests which cannot change it pass on to each other, by `closeStores` and `giveBackKept`. */
export const BORROWED: Engine<PostgresOnly> = {
  name: 'postgres',
  async open(settings, clock) {
    const schema = await keptSchema();
    borrowed.add(schema);
    return overSchema(schema, settings, clock);
  },
};

const borrowed = new Set<KeptSchema>();

const ENGINES: readonly Engine[] = [SQLITE, BORROWED];

/** The makers of a test's world. */
export interface OnEngine {
  readonly engine: Engine;
}

type Test<World> = (title: string, run: (world: World) => Promise<unknown>) => void;

export interface Conformance<World> {
  /** A test that makes its own world over the engine. */
  readonly test: Test<Engine>;
  /** A test that gets a world. */
  readonly it: Test<World>;
  /** A test of what only SQLite keeps. */
  readonly onSqlite: Test<void>;
  /** A test of what only PostgreSQL keeps. */
  readonly onPostgres: Test<void>;
  run(): void;
}

/**
 * Holds the tests of what every engine must do. Each test runs once over each engine that was chosen, and asks it by
 * calls alone. `make` makes the world that `it` gets.
 */
export function conformance<World = Engine>(
  name: string,
  make: (of: OnEngine) => Promise<World> = async ({ engine }) => engine as World,
): Conformance<World> {
  const chosen = chosenEngines();
  const suites = ENGINES.filter((engine) => chosen.includes(engine.name)).map((engine) => {
    return { engine, add: suite(`${name} (${engine.name})`) };
  });
  for (const { add } of suites) {
    add.after.each(closeStores);
    add.after(giveBackKept);
  }
  const test: Test<Engine> = (title, run) => {
    for (const { engine, add } of suites) add(title, async () => void (await run(engine)));
  };
  const testOn =
    (name: EngineName): Test<void> =>
    (title, run) => {
      for (const { engine, add } of suites) if (engine.name === name) add(title, async () => void (await run()));
    };
  return {
    test,
    it: (title, run) => test(title, async (engine) => run(await make({ engine }))),
    onSqlite: testOn('sqlite'),
    onPostgres: testOn('postgres'),
    run() {
      for (const { add } of suites) add.run();
    },
  };
}

function overDatabase(db: Db, settings: StoreSettings, clock: Clock): OpenEngine<SqliteOnly> {
  const committer = committerOver(db, settings, clock);
  return {
    own: { db },
    run: (calls) => committer.run(calls),
    restart: async () => overDatabase(db, settings, clock),
    countRows: async (table) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0,
  };
}

const opened = new Set<PostgresNode>();

/** Those of a test, so that connections do not add up. */
export async function closeStores(): Promise<void> {
  for (const store of opened) await store.close();
  opened.clear();
  for (const schema of borrowed) await passOn(schema);
  borrowed.clear();
}

async function overSchema(
  at: Pick<KeptSchema, 'url'> | KeptSchema,
  settings: StoreSettings,
  clock: Clock,
): Promise<OpenEngine<PostgresOnly>> {
  const { url } = at;
  const kept = 'connect' in at && { connect: at.connect };
  const store = await openPostgres({
    url,
    ...kept,
    settings,
    clock,
    node: 'one',
    leaseMs: HOUR_MS,
    answerWithinMs: HOUR_MS,
  });
  opened.add(store);
  const count = (table: string) =>
    store.connections.lend(({ sql }) => sql.value<object, number>(`SELECT count(*) FROM ${table}`)({}));
  return {
    own: { store, url },
    run: (calls) => Promise.all(calls.map((call) => store.ask(call))),
    onRevocations: store.onRevocations,
    async restart() {
      await store.close();
      opened.delete(store);
      return overSchema(at, settings, clock);
    },
    countRows: async (table) => (await count(table)) ?? 0,
  };
}
