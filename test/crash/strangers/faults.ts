import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../../support/folder.ts';
import { nextVersionIn } from '../next-version.ts';
import type { World } from './world.ts';

/** The faults, with their durations. */
export interface Fault {
  readonly what: string;
  run(world: World): Promise<void>;
  /** How many pushes it may leave in doubt: on how many machines. */
  readonly machines: number;
  /** Not all is as it was after it: machines are of another version, events from the future. */
  readonly isOnce?: true;
  readonly setsDatabaseClock?: true;
}

const HOUR_MS = 3_600_000;

const ALL: readonly Fault[] = [
  {
    what: 'a machine is killed (`kill -9`)',
    machines: 1,
    async run({ machines: [machine] }) {
      await machine.process.end('SIGKILL');
      await pause(2_000);
      await machine.start();
    },
  },
  {
    what: 'a machine is frozen for 14 s',
    machines: 1,
    async run({ machines: [machine] }) {
      machine.process.freeze();
      await pause(14_000);
      machine.process.thaw();
    },
  },
  {
    what: 'a machine is frozen for 4 s, less than its lease',
    machines: 1,
    async run({ machines: [machine] }) {
      machine.process.freeze();
      await pause(4_000);
      machine.process.thaw();
    },
  },
  {
    what: 'a machine is cut off from the database for 12 s, and notified of nothing',
    machines: 1,
    async run({ machines: [{ proxy }] }) {
      proxy.freeze();
      await pause(12_000);
      proxy.heal();
    },
  },
  {
    what: 'all machines are cut off for 12 s',
    machines: 3,
    async run({ machines }) {
      for (const { proxy } of machines) proxy.freeze();
      await pause(12_000);
      for (const { proxy } of machines) proxy.heal();
    },
  },
  ...['subscription', 'fan_out', 'event', 'node'].map(
    (table): Fault => ({
      what: `a stranger locks \`${table}\` for 12 s`,
      machines: 3,
      async run({ hold }) {
        const release = await hold(`LOCK TABLE ${table}`);
        await pause(12_000);
        await release();
      },
    }),
  ),
  {
    what: "a machine's clock is set on by an hour, and 6 s later back",
    machines: 1,
    async run({ machines: [machine] }) {
      machine.setClock(HOUR_MS);
      await pause(6_000);
      machine.setClock(0);
    },
  },
  {
    what: 'each question to the database takes 200 ms more for 10 s',
    machines: 0,
    async run({ machines }) {
      for (const { proxy } of machines) proxy.delay(200);
      await pause(10_000);
      for (const { proxy } of machines) proxy.delay(0);
    },
  },
  {
    what: 'the database is stopped hard, and started 3 s later',
    machines: 3,
    async run({ cluster }) {
      await cluster.stop();
      await pause(3_000);
      await cluster.start();
    },
  },
  {
    what: 'two machines are upgraded to a next version, one after the other',
    isOnce: true,
    machines: 0,
    async run({ machines: [first, , third] }) {
      const next = nextVersionIn(temporaryFolder());
      for (const machine of [first, third]) {
        await machine.process.end('SIGTERM');
        await machine.start(next);
      }
    },
  },
  {
    what: 'one of them is killed then, beside one of this version',
    isOnce: true,
    machines: 1,
    async run({ machines: [machine] }) {
      await machine.process.end('SIGKILL');
      await pause(2_000);
      await machine.start();
    },
  },
  {
    what: "the database's clock is set on by an hour, and 6 s later back",
    isOnce: true,
    setsDatabaseClock: true,
    machines: 3,
    async run({ setDatabaseClock }) {
      await setDatabaseClock(HOUR_MS);
      await pause(6_000);
      await setDatabaseClock(0);
    },
  },
];

/** All of them, each noted in the world's timeline. */
export const FAULTS: readonly Fault[] = ALL.map((fault) => ({
  ...fault,
  run: (world) => world.timeline.during(fault.what, fault.machines, () => fault.run(world)),
}));

/** Faults one after the other, between two comparisons. */
export interface Round {
  readonly what: string;
  readonly faults: readonly Fault[];
  /** From one fault's begin to the next's at least, or from one's end to the next's begin. */
  readonly everyMs?: number;
  readonly restMs?: number;
}

const EVERY_MS = 20_000;
const REST_MS = 1_500;

export function eachOnce(): readonly Round[] {
  return FAULTS.map((fault) => ({ what: fault.what, faults: [fault] }));
}

/** Faults that last less than that, one after the other each 20 s. */
export function roundFor(minutes: number): Round {
  const count = Math.max(1, Math.round((minutes * 60_000) / EVERY_MS));
  return { what: `${minutes} minutes with one of these each 20 s`, faults: inTurns(count), everyMs: EVERY_MS };
}

/** So many faults of all kinds, with a short rest after each. The last ones can happen only once. */
export function roundsOf(count: number): readonly Round[] {
  const once = eachOnce().filter(({ faults: [fault] }) => fault?.isOnce);
  const faults = inTurns(Math.max(1, count - once.length));
  return [{ what: `${faults.length} of these, one after the other`, faults, restMs: REST_MS }, ...once];
}

/** Each kind once in any order, then again: so each comes after each other. */
function inTurns(count: number): readonly Fault[] {
  const repeated = FAULTS.filter(({ isOnce }) => !isOnce);
  const turns = Array.from({ length: Math.ceil(count / repeated.length) }, () => shuffled(repeated));
  return turns.flat().slice(0, count);
}

function shuffled<T>(things: readonly T[]): readonly T[] {
  const placed = things.map((thing) => ({ thing, place: Math.random() }));
  return placed.toSorted((a, b) => a.place - b.place).map(({ thing }) => thing);
}
