import type { StoreSettings } from '../../src/store/settings.ts';
import { aWorld, type SqliteWorld } from './world.ts';

/** After so long at work, a clock that is ahead counts as right. */
const DAY_MS = 86_400_000;

/** With one device, and without a wait for the disk at every commit. */
export async function aQuickWorld(settings: Partial<StoreSettings> = {}): Promise<SqliteWorld> {
  const world = await aWorld(settings);
  await world.addDevice();
  world.db.pragma('synchronous = OFF');
  return world;
}

/** An event that its one device got. */
export async function deliver(world: SqliteWorld, wallMs: number, description = 'x'): Promise<string> {
  const { event } = await world.accept({ wallMs, steadyMs: wallMs, description });
  const time = { steadyMs: wallMs, wallMs };
  const lane = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 9 } as const;
  for (const { claimId, targets } of (await world.calls.claimBatches({ ...lane, ...time })).claims) {
    const verdicts = targets.map((_, index) => {
      return { index, verdict: { state: 'accepted' } as const, fitted: false, linksLost: false };
    });
    await world.calls.settleBatch({ claimId, verdicts, ...time });
  }
  return event.public_id;
}

/** Answers how many steps it took. */
export async function prune({ calls }: Pick<SqliteWorld, 'calls'>, wallMs: number): Promise<number> {
  for (let steps = 1; ; steps += 1) if ((await calls.pruneStep({ wallMs, passedMs: DAY_MS })).done) return steps;
}
