import { setTimeout as pause } from 'node:timers/promises';
import type { World } from './world.ts';

/** What goes wrong, for as long as it does. */
export interface Fault {
  readonly what: string;
  run(world: World): Promise<void>;
  /** How many pushes it may leave in doubt: on how many machines. */
  readonly machines: number;
}

export const FAULTS: readonly Fault[] = [
  {
    what: 'a machine is killed (`kill -9`)',
    machines: 1,
    async run({ machines: [one] }) {
      await one.process.end('SIGKILL');
      await pause(2_000);
      await one.start();
    },
  },
  {
    what: 'a machine is frozen for 14 s',
    machines: 1,
    async run({ machines: [one] }) {
      one.process.freeze();
      await pause(14_000);
      one.process.thaw();
    },
  },
  {
    what: 'a machine is frozen for 4 s, less than its lease',
    machines: 1,
    async run({ machines: [one] }) {
      one.process.freeze();
      await pause(4_000);
      one.process.thaw();
    },
  },
  {
    what: 'a machine is cut off from the database for 12 s, and told nothing',
    machines: 1,
    async run({ machines: [{ way }] }) {
      way.freeze();
      await pause(12_000);
      way.heal();
    },
  },
  {
    what: 'all machines are cut off for 12 s',
    machines: 3,
    async run({ machines }) {
      for (const { way } of machines) way.freeze();
      await pause(12_000);
      for (const { way } of machines) way.heal();
    },
  },
  ...['subscription', 'claim', 'event', 'node'].map(
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
    what: 'the database is stopped hard, and started 3 s later',
    machines: 3,
    async run({ cluster }) {
      await cluster.stop();
      await pause(3_000);
      await cluster.start();
    },
  },
];
