import * as assert from 'uvu/assert';
import type { ArgsOf } from '../../../src/store/calls.ts';
import { conformance } from '../../support/engines.ts';
import { granted } from '../../support/refusals.ts';
import { aWorld, type World } from '../../support/world.ts';

const DAY_MS = 86_400_000;
const at = (time: string) => Date.parse(time);
const T0 = at('2027-02-10T11:00Z');
const NAMES = ['ada', 'bob', 'cyd', 'dan'] as const;
const emailOf = (name: string) => `${name}@acme.example`;
const MONDAYS = { every: 'week', weekday: 'mon', at: '09:00' } as const;
const PAYMENTS = { workspace: 'acme', slug: 'payments' } as const;
const daily = (time: string) => ({ every: 'day', at: time }) as const;

/** A workspace with Ada, Bob, Cyd and Dan. */
async function aTeam(options: Parameters<typeof aWorld>[0] & object): Promise<World> {
  const world = await aWorld({ ...options, owner: emailOf('ada') } as never);
  for (const name of NAMES.slice(1))
    granted(await world.calls.addMember({ workspace: 'acme', email: emailOf(name), role: 'member' }));
  return world;
}

const { it, run } = conformance('on call: cases', aTeam);

type Plan = Partial<Omit<ArgsOf<'createRota'>, 'members'>> & { readonly members?: readonly string[] };

/** Adds the rota a month before it starts. */
async function aRota(world: World, startsOn: string, { members = ['ada', 'bob', 'cyd'], ...plan }: Plan = {}) {
  const usual = { ...PAYMENTS, timezone: 'Europe/Berlin', handover: MONDAYS, startsOn };
  const wallMs = at(`${startsOn}T00:00Z`) - 30 * DAY_MS;
  return granted(await world.calls.createRota({ ...usual, ...plan, members: members.map(emailOf), wallMs }));
}

/** `bob 2027-03-22T08:00Z`: shifts that begin in a range. */
async function shifts(world: World, from: string, until: string, nowMs: number): Promise<readonly string[]> {
  const range = { fromMs: at(from), untilMs: at(until), wallMs: nowMs };
  return granted(await world.calls.listShifts({ ...PAYMENTS, ...range })).map(
    (shift) => `${shift.person.email.split('@')[0]} ${inUtc(shift.from)}`,
  );
}

const inUtc = (time: string) => time.replace(/:00\.000\+00:00$/, 'Z');

it('spring', async (world) => {
  await aRota(world, '2027-03-15');
  const expected = ['ada 2027-03-15T08:00Z', 'bob 2027-03-22T08:00Z', 'cyd 2027-03-29T07:00Z', 'ada 2027-04-05T07:00Z'];
  const list = async (now: string) => shifts(world, '2027-03-01T00:00Z', '2027-04-12T00:00Z', at(now));
  assert.equal(await list('2027-03-01T00:00Z'), expected);
  granted(
    await world.calls.updateRota({
      ...PAYMENTS,
      members: ['ada', 'bob'].map(emailOf),
      wallMs: at('2027-04-12T00:00Z'),
    }),
  );
  assert.equal(await list('2027-04-12T00:00Z'), expected);
});
void daily;
void T0;

run();
