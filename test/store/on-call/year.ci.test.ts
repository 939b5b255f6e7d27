import * as assert from 'uvu/assert';
import { conformance } from '../../support/engines.ts';
import { aTeamWithDevices, handoversIn, NAMES, type SentPush, serveUntil } from '../../support/handovers.ts';
import { granted } from '../../support/refusals.ts';
import { aRota, emailOf, inMs, PAYMENTS } from '../../support/rotas.ts';
import type { World } from '../../support/world.ts';

const { it, run } = conformance('on call: a year', aTeamWithDevices);

const DAY_MS = 86_400_000;
const CHANGES = 50;
const SEED = 57;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'] as const;
const WEEKDAYS = ['mon', 'wed', 'fri', 'sun'] as const;
const TIMES = ['00:00', '02:30', '09:00', '17:45'] as const;

it(`each real change of person in a year with ${CHANGES} random changes is pushed as one pair, across crashes`, async (world) => {
  const random = randomFrom(SEED);
  await aRota(world, '2027-01-04');
  const startMs = inMs('2027-01-03T00:00Z');
  const times = Array.from({ length: CHANGES }, () => startMs + Math.floor(random() * 365 * DAY_MS));
  const sent: SentPush[] = [];
  let nowMs = startMs;
  const done: Record<string, number> = {};
  for (const changeMs of times.toSorted((a, b) => a - b)) {
    sent.push(...(await serveUntil(world, nowMs, changeMs)));
    const what = await changeAt(world, changeMs, random);
    done[what] = (done[what] ?? 0) + 1;
    nowMs = changeMs;
    Object.assign(world, await world.restart());
  }
  const endMs = startMs + 365 * DAY_MS;
  sent.push(...(await serveUntil(world, nowMs, endMs)));
  const expected = await realChanges(world, startMs, endMs);
  assert.ok(expected.length > 100, `${expected.length} changes of person`);
  assert.equal(
    handoversIn(sent).toSorted(),
    expected
      .flatMap(({ off, on, time }) => [`${on} on ${time}`, ...(off === null ? [] : [`${off} off ${time}`])])
      .toSorted(),
  );
  process.stdout.write(`\n${expected.length} changes of person by ${JSON.stringify(done)}\n`);
});

run();

/** Makes a random change. Returns its kind. */
async function changeAt({ calls }: World, wallMs: number, random: () => number): Promise<string> {
  const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const rota = { ...PAYMENTS, wallMs };
  const what = oneOf(['members', 'handover', 'timezone', 'override', 'override', 'end', 'now']);
  switch (what) {
    case 'members': {
      const members = NAMES.filter(() => random() < 0.7).toSorted(() => random() - 0.5);
      const all = members.length > 1 ? members : NAMES;
      granted(await calls.updateRota({ ...rota, members: all.map(emailOf) }));
      return what;
    }
    case 'handover': {
      const weeks = { every: 'week', count: oneOf([1, 2]), weekday: oneOf(WEEKDAYS), at: oneOf(TIMES) } as const;
      const days = { every: 'day', count: oneOf([1, 2, 3]), at: oneOf(TIMES) } as const;
      granted(await calls.updateRota({ ...rota, handover: random() < 0.7 ? days : weeks }));
      return what;
    }
    case 'timezone':
      granted(await calls.updateRota({ ...rota, timezone: oneOf(ZONES) }));
      return what;
    case 'now': {
      const { members } = granted(await calls.showRota(rota));
      const answer = await calls.updateRota({ ...rota, onCall: oneOf(members) });
      return 'rota' in answer ? what : 'refused';
    }
    case 'override':
      await override({ calls }, wallMs, random);
      return what;
    default: {
      const shifts = granted(await calls.listShifts({ ...rota, fromMs: wallMs, untilMs: wallMs + 30 * DAY_MS }));
      const id = shifts.find((shift) => shift.override !== null)?.override?.id;
      if (id === undefined) await override({ calls }, wallMs, random);
      else granted(await calls.endOverride({ ...rota, id }));
      return id === undefined ? 'override' : what;
    }
  }
}

/** From now or later, for some days. */
async function override({ calls }: Pick<World, 'calls'>, wallMs: number, random: () => number): Promise<void> {
  const fromMs = random() < 0.3 ? wallMs : wallMs + Math.floor(random() * 10 * DAY_MS);
  const untilMs = fromMs + 60_000 + Math.floor(random() * 10 * DAY_MS);
  const member = emailOf(NAMES[Math.floor(random() * NAMES.length)] as string);
  granted(await calls.addOverride({ ...PAYMENTS, member, fromMs, untilMs, wallMs }));
}

/** Returns the recorded changes of person, whatever caused them. */
async function realChanges({ calls }: World, startMs: number, endMs: number) {
  const changes: { off: string | null; on: string; time: string }[] = [];
  let off: string | null = null;
  for (let fromMs = startMs; fromMs < endMs; fromMs += 90 * DAY_MS) {
    const range = { fromMs, untilMs: Math.min(fromMs + 90 * DAY_MS, endMs), wallMs: endMs };
    for (const { from, person } of granted(await calls.listShifts({ ...PAYMENTS, ...range }))) {
      const on = person.email.split('@')[0] ?? '';
      if (on !== off) changes.push({ off, on, time: from.replace(/:00\.000\+00:00$|\+00:00$/, 'Z') });
      off = on;
    }
  }
  return changes;
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
