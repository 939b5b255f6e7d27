import type { ArgsOf } from '../../src/store/calls.ts';
import type { Engine } from './engines.ts';
import { claim, settle } from './queue.ts';
import { granted } from './refusals.ts';
import { tokenOf } from './workspace.ts';
import { aWorld, type World, type WorldOptions } from './world.ts';

export const NAMES = ['ada', 'bob', 'cyd', 'dan'] as const;
export const PAYMENTS = { workspace: 'acme', slug: 'payments' } as const;
export const MONDAYS = { every: 'week', weekday: 'mon', at: '09:00' } as const;
const DAY_MS = 86_400_000;

const TOKENS = new Map(NAMES.map((name, nth) => [tokenOf(nth + 1), name]));

export const emailOf = (name: string) => `${name}@acme.example`;
export const at = (time: string) => Date.parse(time);

/** A workspace whose owner is Ada, with Bob, Cyd and Dan. Each has a device. */
export async function aRotaTeam(options: WorldOptions & { readonly engine: Engine }): Promise<World> {
  const world = await aWorld({ ...options, owner: emailOf('ada') });
  for (const name of NAMES.slice(1)) await world.join(emailOf(name));
  for (const [token, name] of TOKENS) await world.addDevice({ token }, emailOf(name));
  return world;
}

type Plan = Partial<Omit<ArgsOf<'createRota'>, 'members'>> & { readonly members?: readonly string[] };

/** Adds the rota `Payments` a month before it starts. */
export async function aRota(world: World, startsOn: string, { members = ['ada', 'bob', 'cyd'], ...plan }: Plan = {}) {
  const usual = { ...PAYMENTS, name: 'Payments', timezone: 'Europe/Berlin', handover: MONDAYS, startsOn };
  const wallMs = at(`${startsOn}T00:00Z`) - 30 * DAY_MS;
  return granted(await world.calls.createRota({ ...usual, ...plan, members: members.map(emailOf), wallMs }));
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
    return isOn || isOff ? `${to} ${isOn ? 'on' : 'off'} ${inUtc(new Date(atMs).toISOString())}` : [];
  });
}

/** `bob 2027-03-22T08:00Z`: shifts that begin in a range. */
export async function shiftsOf(world: World, from: string, until: string, nowMs: number): Promise<readonly string[]> {
  const range = { fromMs: at(from), untilMs: at(until), wallMs: nowMs };
  return granted(await world.calls.listShifts({ ...PAYMENTS, ...range })).map(
    (shift) => `${shift.person.email.split('@')[0]} ${inUtc(shift.from)}`,
  );
}

export function inUtc(time: string): string {
  return time.replace(/:00\.000(?:\+00:00|Z)$/, 'Z');
}
