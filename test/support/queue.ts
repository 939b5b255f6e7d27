import type { OpenClaim } from '../../src/delivery/open-claims.ts';
import type { Lane, Route, Sent } from '../../src/push.ts';
import type { Claim, Verdict } from '../../src/store/calls.ts';
import { granted } from './refusals.ts';
import { NOW_MS, type TemporaryStore } from './store.ts';
import type { SqliteWorld } from './world.ts';

/** Many events on `alerts`, in large transactions. */
export async function backlog(world: SqliteWorld, events: number): Promise<void> {
  world.db.pragma('synchronous = OFF');
  for (let left = events; left > 0; left -= 1_000) {
    const group = Array.from({ length: Math.min(left, 1_000) }, () => world.anEvent());
    await world.together('acceptEvent', group);
  }
}

export async function claim(
  { calls, openClaims }: TemporaryStore,
  options: { route?: Route; lane?: Lane; limit?: number; batchSize?: number; atMs?: number } = {},
): Promise<readonly OpenClaim[]> {
  const { route = 'apns_production', lane = 'standard', limit = 1_000, batchSize = 100, atMs = NOW_MS } = options;
  return openClaims.take(
    (await calls.claimBatches({ route, lane, limit, batchSize, steadyMs: atMs, wallMs: atMs })).claims,
  );
}

/** Settles a claim with the same verdict for each of its targets. */
export async function settle(
  { calls }: TemporaryStore,
  batch: Claim,
  verdict: Verdict = { state: 'accepted' },
  atMs = NOW_MS,
): Promise<readonly string[]> {
  const verdicts = batch.targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
  return (await calls.settleBatch({ claimId: batch.claimId, verdicts, steadyMs: atMs, wallMs: atMs })).finished;
}

export async function countsOf({ calls }: TemporaryStore, publicId: string) {
  const shown = granted(await calls.showEvent({ publicId, limit: 1_000 }));
  return shown.event.deliveries;
}

export function outcomesFor(batch: { targets: Claim['targets'] }, outcome: Sent['outcome']): Sent[] {
  return batch.targets.map(({ deviceId }, index) => ({ index, deviceId, outcome, fitted: false }));
}
