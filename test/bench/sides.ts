import type { DEVICES } from './fixture.ts';
import type { Child } from './processes/child.ts';
import type { Usage } from './processes/handlers.ts';
import type { LoadHandlers } from './processes/load.ts';
import type { Target } from './processes/poster.ts';
import type { Site } from './site.ts';

export const CONNECTIONS = 64;
const STORED_MS = 1_500;

/** One of the servers that are compared. */
export interface Side {
  readonly process: { usage(): Promise<Usage> };
  /** Its load, with connections of its own: a server ends those that are silent for as long as the other sides take. */
  readonly load: (channel: keyof typeof DEVICES, connections: number) => Promise<Child<LoadHandlers>>;
}

export interface Sent {
  readonly perSecond: number;
  /** CPU of the whole process for an event, or for a push of a fan-out. */
  readonly cpuUs: number;
}

export async function sideOf(site: Site, process: Side['process'], target: Omit<Target, 'channel'>): Promise<Side> {
  const load = await site.start<LoadHandlers>('load');
  return {
    process,
    async load(channel, connections) {
      await load.ask('open', { ...target, channel, connections });
      return load;
    },
  };
}

/** Events without devices, as fast as they are taken. */
export async function storing({ process, load }: Side): Promise<Sent> {
  const quiet = await load('quiet', CONNECTIONS);
  const before = await process.usage();
  const { count, perSecond } = await quiet.ask('run', { ms: STORED_MS });
  return { perSecond, cpuUs: usedUs(before, await process.usage()) / count };
}

export function usedUs(before: Usage, after: Usage): number {
  return (after.cpuMs - before.cpuMs) * 1000;
}

export function column<K extends string>(rows: readonly Readonly<Record<K, number>>[], name: K): number[] {
  return rows.map((row) => row[name]);
}
