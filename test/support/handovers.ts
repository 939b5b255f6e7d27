import type { Engine } from './engines.ts';
import { claim, settle } from './queue.ts';
import { aTeam, emailOf } from './rotas.ts';
import { tokenOf } from './workspace.ts';
import type { World } from './world.ts';

export const NAMES = ['ada', 'bob', 'cyd', 'dan'] as const;
const TOKENS = new Map(NAMES.map((name, nth) => [tokenOf(nth + 1), name]));

/** A workspace with Ada, who owns it, Bob, Cyd and Dan. Each has a device. */
export async function aTeamWithDevices(options: { readonly engine: Engine }): Promise<World> {
  const world = await aTeam(options);
  for (const [token, name] of TOKENS) await world.addDevice({ token }, emailOf(name));
  return world;
}

/** Lets a server hand over and post until nothing is left to do at that time. */
export async function handOversAt(world: World, atMs: number): Promise<void> {
  for (let nth = 0; nth < 1_000; nth += 1) {
    const { inMs } = await world.calls.nextHandover({ wallMs: atMs });
    if (inMs !== 0) return;
    await world.calls.handOver({ wallMs: atMs });
  }
  throw new Error('the handovers come to no end');
}

/** Hands over whenever it is due, as a server that is never down. Returns when, with what is sent then. */
export async function serveUntil(world: World, fromMs: number, untilMs: number): Promise<readonly SentPush[]> {
  const sent: SentPush[] = [];
  for (let nowMs = fromMs; ; ) {
    await handOversAt(world, nowMs);
    sent.push(...(await pushesAt(world, nowMs)));
    const { inMs } = await world.calls.nextHandover({ wallMs: nowMs });
    if (inMs === null || nowMs + inMs > untilMs) return sent;
    nowMs += inMs;
  }
}

export interface SentPush {
  readonly atMs: number;
  /** Name of the device's person. */
  readonly to: string;
  readonly title: string;
  readonly text: string;
  readonly isQuiet: boolean;
  readonly channel: string;
}

/** Returns the waiting pushes, which the provider accepts, sorted by person. */
export async function pushesAt(world: World, atMs: number): Promise<readonly SentPush[]> {
  const sent: SentPush[] = [];
  for (;;) {
    const batches = await claim(world, { atMs });
    if (batches.length === 0) return sent.toSorted((a, b) => (a.to < b.to ? -1 : 1));
    for (const batch of batches) {
      for (const { token, event } of batch.targets) {
        const { title, description, quiet, channel } = batch.events[event]?.event ?? {};
        const [to = token, text] = [TOKENS.get(token), description];
        sent.push({ atMs, to, title: title ?? '', text: text ?? '', isQuiet: quiet === true, channel: channel ?? '' });
      }
      await settle(world, batch, { state: 'accepted' }, atMs);
    }
  }
}

/** Returns `bob on 2027-02-15T08:00Z`, `cyd off …`: pushes of handovers. */
export function handoversIn(pushes: readonly SentPush[]): readonly string[] {
  return pushes.flatMap(({ to, title, atMs }) => {
    const isOff = title.startsWith('You are no longer on call');
    const isOn = title.startsWith('You are on call');
    return isOn || isOff
      ? `${to} ${isOn ? 'on' : 'off'} ${new Date(atMs).toISOString().replace(/:00\.000Z$/, 'Z')}`
      : [];
  });
}
