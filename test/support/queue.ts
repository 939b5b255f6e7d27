import type { OpenClaim } from '../../src/delivery/open-claims.ts';
import type { Lane, Route, Sent } from '../../src/push.ts';
import type { AcceptArgs, Claim, Verdict } from '../../src/store/calls.ts';
import { granted } from './refusals.ts';
import type { SqliteStore, TemporaryStore, Timed } from './store.ts';
import { anEvent, workspaceIdOf } from './world.ts';

export const START_MS = Date.UTC(2026, 10, 21, 9, 30);

/** A workspace with one channel `alerts` and one member, whose devices listen there. Answers their public ids. */
export async function audience(
  { calls }: TemporaryStore,
  {
    workspace = 'acme',
    ios = 0,
    sandbox = 0,
    android = 0,
  }: Partial<Record<'ios' | 'sandbox' | 'android', number>> & { workspace?: string },
): Promise<string[]> {
  const email = `${workspace}@example.com`;
  await calls.createWorkspace({ slug: workspace, wallMs: START_MS });
  await calls.createChannel({ workspace, slug: 'alerts', wallMs: START_MS });
  await calls.addMember({ workspace, email, role: 'owner', wallMs: START_MS });
  const kinds = [
    ...Array.from({ length: ios }, () => ({ platform: 'ios', environment: 'production' }) as const),
    ...Array.from({ length: sandbox }, () => ({ platform: 'ios', environment: 'sandbox' }) as const),
    ...Array.from({ length: android }, () => ({ platform: 'android' }) as const),
  ];
  return await Promise.all(
    kinds.map(async (kind, index) => {
      const token = tokenOf(workspace, kind.platform === 'ios' ? index : index + 1_000_000);
      const added = granted(
        await calls.addDevice({
          workspace,
          email,
          ...kind,
          token,
          subscribe: ['alerts'],
          wallMs: START_MS,
        }),
      );
      return added.device.id;
    }),
  );
}

/** A new event on `alerts`. Answers its public id. */
export async function post(
  store: TemporaryStore,
  {
    workspace = 'acme',
    atMs = START_MS,
    ...event
  }: Partial<Timed<AcceptArgs>> & { workspace?: string; atMs?: number } = {},
): Promise<string> {
  const workspaceId = await workspaceIdOf(store, workspace);
  const accepted = await store.calls.acceptEvent({ ...alert(workspaceId, atMs), ...event });
  if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
  return accepted.event.public_id;
}

/** Many events on `alerts` of `acme`, in large transactions. */
export async function backlog(store: SqliteStore, events: number): Promise<void> {
  store.db.pragma('synchronous = OFF');
  const workspaceId = await workspaceIdOf(store, 'acme');
  for (let left = events; left > 0; left -= 1_000) {
    const group = Array.from({ length: Math.min(left, 1_000) }, () => alert(workspaceId, START_MS));
    await store.together('acceptEvent', group);
  }
}

export async function claim(
  { calls, openClaims }: TemporaryStore,
  options: { route?: Route; lane?: Lane; limit?: number; batchSize?: number; atMs?: number } = {},
): Promise<readonly OpenClaim[]> {
  const { route = 'apns_production', lane = 'standard', limit = 1_000, batchSize = 100, atMs = START_MS } = options;
  return openClaims.take(
    (await calls.claimBatches({ route, lane, limit, batchSize, steadyMs: atMs, wallMs: atMs })).claims,
  );
}

/** Settles a claim with the same verdict for each of its targets. */
export async function settle(
  { calls }: TemporaryStore,
  batch: Claim,
  verdict: Verdict = { state: 'accepted' },
  atMs = START_MS,
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

function alert(workspaceId: number, atMs: number): Timed<AcceptArgs> {
  return anEvent(workspaceId, { channel: 'alerts', title: 'Disk full', level: 'error', wallMs: atMs, steadyMs: atMs });
}

function tokenOf(workspace: string, index: number): string {
  const seed = Buffer.from(workspace).toString('hex').slice(0, 16).padEnd(16, '0');
  return `${seed}${index.toString(16).padStart(48, '0')}`;
}
