import type { InsistPolicy } from '../../src/contract/ringing.ts';
import type { Route } from '../../src/push.ts';
import type { ClaimedEvent } from '../../src/store/calls.ts';
import type { Engine } from './engines.ts';
import { claim, settle } from './queue.ts';
import { granted } from './refusals.ts';
import { aWorld, NOW_MS, type World, type WorldOptions } from './world.ts';

/** The fields that make an event insist. */
export const INSISTING = { urgency: 'time_sensitive', level: 'error', collapseKey: 'disk' } as const;

export const MINUTE_MS = 60_000;

/** A workspace whose channel `alerts` insists every minute, for an hour, with an iOS device that listens there. */
export async function anInsistingWorld(
  options: WorldOptions & { readonly engine: Engine },
  policy: Partial<InsistPolicy> = {},
): Promise<World> {
  const world = await aWorld({ devices: { ios: 1 }, ...options });
  await insist(world, policy);
  return world;
}

export async function insist(world: World, policy: Partial<InsistPolicy> = {}, slug = 'alerts'): Promise<void> {
  const insisting = { repeat: 60, until: 3_000, ...policy };
  granted(await world.calls.updateChannel({ workspace: 'acme', slug, insist: insisting }));
}

export async function stateOf(world: World, publicId: string, atMs = NOW_MS): Promise<string> {
  return granted(await world.calls.showAlert({ publicId, wallMs: atMs })).alert.state;
}

/** A round of the server at that time, behind its look. */
export async function roundAt(world: World, atMs: number, paused: readonly Route[] = []) {
  const { unheardIn = [] } = await world.calls.nextRound({ wallMs: atMs, paused });
  return world.calls.runRound({ wallMs: atMs, paused, unheardIn });
}

/** Returns the pushes at that time, all of them accepted by the provider. */
export async function sentAt(world: World, atMs: number): Promise<readonly ClaimedEvent[]> {
  const events: ClaimedEvent[] = [];
  for (const lane of ['urgent', 'standard'] as const) {
    for (const batch of await claim(world, { lane, atMs })) {
      events.push(...batch.events);
      await settle(world, batch, { state: 'accepted' }, atMs);
    }
  }
  return events;
}
