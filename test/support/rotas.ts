import type { Actor, ArgsOf } from '../../src/store/calls.ts';
import type { OnEngine } from './engines.ts';
import { granted } from './refusals.ts';
import { aWorld, type World } from './world.ts';

const DAY_MS = 86_400_000;
const NAMES = ['ada', 'bob', 'cyd', 'dan'] as const;
export const MONDAYS = { every: 'week', weekday: 'mon', at: '09:00' } as const;
export const PAYMENTS = { workspace: 'acme', slug: 'payments' } as const;
export const OPERATOR: Actor = { kind: 'operator', name: 'root', address: null };

export const daily = (at: string) => ({ every: 'day', at }) as const;
export const emailOf = (name: string) => `${name}@acme.example`;
export const inMs = (time: string) => Date.parse(time);

/** A Wednesday at which Cyd is on call in `aRota(world, '2027-01-04')`. */
export const T0 = inMs('2027-02-10T11:00Z');

/** A workspace with Ada, who owns it, Bob, Cyd and Dan. */
export async function aTeam(options: OnEngine): Promise<World> {
  const world = await aWorld({ ...options, owner: emailOf('ada') });
  for (const name of NAMES.slice(1)) {
    granted(await world.calls.addMember({ workspace: 'acme', email: emailOf(name), role: 'member' }));
  }
  return world;
}

type Plan = Partial<Omit<ArgsOf<'createRota'>, 'members'>> & { readonly members?: readonly string[] };

/** Adds a weekly rota of Ada, Bob and Cyd a month before it starts. */
export async function aRota(world: World, startsOn: string, { members = ['ada', 'bob', 'cyd'], ...plan }: Plan = {}) {
  const usual = { ...PAYMENTS, timezone: 'Europe/Berlin', handover: MONDAYS, startsOn };
  const wallMs = inMs(`${startsOn}T00:00Z`) - 30 * DAY_MS;
  return granted(await world.calls.createRota({ ...usual, wallMs, ...plan, members: members.map(emailOf) })).rota;
}

/** The shifts of a range, each with its start: `bob 2027-03-22T08:00Z`. */
export async function shiftsOf(world: World, from: string, until: string, nowMs = inMs(from)) {
  const range = { fromMs: inMs(from), untilMs: inMs(until), wallMs: nowMs };
  const shifts = granted(await world.calls.listShifts({ ...PAYMENTS, ...range }));
  return shifts.map(({ person, from: start }) => `${nameOf(person)} ${inUtc(start)}`);
}

/** Names the person on call at a time, or `nobody`. */
export async function onCallAt(world: World, nowMs: number): Promise<string> {
  const { on_call } = granted(await world.calls.showRota({ ...PAYMENTS, wallMs: nowMs }));
  return nameOf(on_call);
}

export function nameOf(person: { readonly email: string } | null): string {
  return person?.email.split('@')[0] ?? 'nobody';
}

export const inUtc = (time: string) => time.replace(/:00\.000\+00:00$/, 'Z');
