import type { HandedOver } from '../../../contract/on-call/notices.ts';
import type { OnCallShift, ShownOverride } from '../../../contract/on-call/plan.ts';
import type { Shift } from '../../../contract/on-call/timeline.ts';
import type { Moment } from '../../../process/clock.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import type { Sql } from '../../sql.ts';
import { OVERRIDES, type OverrideRow, type People } from './rows.ts';
import { type LoadedRota, rotaTimelines } from './timelines.ts';

/** Rows and time per step. More happens only in long outages. */
const MOST_RECORDED = 200;
const LONGEST_STEP_MS = 180 * 86_400_000;

const INSERT = `
  INSERT INTO on_call_shift (rota_id, from_at, user_id, email, name, override_id)
  VALUES (:rotaId, :fromMs, CAST(:userId AS BIGINT), CAST(:email AS TEXT), CAST(:name AS TEXT), CAST(:override AS BIGINT))
  ON CONFLICT (rota_id, from_at) DO UPDATE SET user_id = excluded.user_id, email = excluded.email, name = excluded.name,
    override_id = excluded.override_id`;

const SHIFTS = `
  SELECT from_at AS "fromMs", user_id AS "userId", email, name, override_id AS "overrideId" FROM on_call_shift`;

interface ShiftRow {
  readonly fromMs: number;
  readonly userId: number | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly overrideId: number | null;
}

interface Recorded {
  /** How many rows. */
  readonly recorded: number;
  /** To announce: the net change since the last announcement; null: none, or more is to be recorded. */
  readonly handedOver: HandedOver | null;
}

/** Records and reads who was on call. */
export function rotaShifts(sql: Sql) {
  const insert = sql.run<object>(INSERT);
  const setRecorded = sql.run<{ id: number; upToMs: number; nextAt: number | null; announced: number | null }>(
    `UPDATE rota SET recorded_at = :upToMs, next_at = CAST(:nextAt AS BIGINT), announced = CAST(:announced AS BIGINT)
      WHERE id = :id`,
  );
  const lastBefore = sql.get<{ id: number; atMs: number }, ShiftRow>(
    `${SHIFTS} WHERE rota_id = :id AND from_at <= :atMs ORDER BY from_at DESC LIMIT 1`,
  );
  const within = sql.all<{ id: number; fromMs: number; untilMs: number }, ShiftRow>(
    `${SHIFTS} WHERE rota_id = :id AND from_at > :fromMs AND from_at < :untilMs ORDER BY from_at`,
  );
  const ended = sql.all<{ id: number; fromMs: number; untilMs: number }, OverrideRow>(
    `${OVERRIDES} WHERE rota_id = :id AND until_at > :fromMs AND from_at < :untilMs ORDER BY rota_override.id`,
  );
  const timelines = rotaTimelines(sql);

  /** Returns what was recorded, up to `recordedAt`. */
  async function past({ row }: LoadedRota, fromMs: number, untilMs: number): Promise<readonly PastShift[]> {
    const endMs = Math.min(untilMs, row.recordedAt);
    if (endMs <= fromMs) return [];
    const before = await lastBefore({ id: row.id, atMs: fromMs });
    const rows = [...(before === undefined ? [] : [before]), ...(await within({ id: row.id, fromMs, untilMs: endMs }))];
    return rows.map((shift, place) => ({ ...shift, untilMs: rows[place + 1]?.fromMs ?? endMs }));
  }

  return {
    /**
     * Records changes of person up to now by the rota as loaded, in steps. With `most`, a change of the rota follows: then
     * this moment is left out, and the newest changes are recorded in one step. A clock that was set back changes nothing.
     */
    async record(
      { row, timeline }: LoadedRota,
      { wallMs }: Pick<Moment, 'wallMs'>,
      most: number | null = null,
    ): Promise<Recorded> {
      const { id, recordedAt, announced: off } = row;
      const nowMs = Math.max(wallMs, recordedAt);
      const endMs = most === null ? Math.min(nowMs + 1, recordedAt + LONGEST_STEP_MS) : nowMs;
      const last = await lastBefore({ id, atMs: recordedAt });
      const shifts = timeline.shifts(recordedAt, endMs);
      const all = changesOf(shifts, last?.userId ?? null);
      const changes = most === null ? all.slice(0, MOST_RECORDED) : all.slice(-most);
      const people = await timelines.people(changes.flatMap(({ person }) => person ?? []));
      for (const { fromMs, person: userId, override } of changes) {
        const { email = null, name = null } = (userId !== null && people(userId)) || {};
        await insert({ rotaId: id, fromMs, userId, email, name, override });
      }
      const recorded = changes.length;
      const newest = changes.at(-1);
      const upToMs = newest !== undefined && newest !== all.at(-1) ? newest.fromMs : Math.min(endMs, nowMs);
      if (upToMs < nowMs) {
        await setRecorded({ id, upToMs, nextAt: upToMs, announced: off });
        return { recorded, handedOver: null };
      }
      const { person: on, override } = shifts.at(-1) ?? { person: last?.userId ?? null, override: null };
      const { untilMs } = timeline.shiftAt(nowMs);
      await setRecorded({ id, upToMs, nextAt: untilMs, announced: on });
      const handedOver = { off, on, fromMs: newest?.fromMs ?? nowMs, untilMs, override };
      return { recorded, handedOver: on === off ? null : handedOver };
    },

    /** Returns people's shifts, past and future, cut at both ends. */
    read: (rota: LoadedRota, fromMs: number, untilMs: number) => readRange(rota, fromMs, untilMs, false),

    /** Returns people's shifts that touch a range, with their own starts and ends. */
    readWhole: (rota: LoadedRota, fromMs: number, untilMs: number) => readRange(rota, fromMs, untilMs, true),
  };

  async function readRange(
    rota: LoadedRota,
    fromMs: number,
    untilMs: number,
    isWhole: boolean,
  ): Promise<readonly OnCallShift[]> {
    const { row, timeline } = rota;
    const before = await past(rota, fromMs, untilMs);
    const laterMs = Math.max(isWhole ? 0 : fromMs, row.recordedAt);
    const after = timeline.shifts(laterMs, untilMs).filter((shift) => (shift.untilMs ?? untilMs) > fromMs);
    const overrides = new Map<number, OverrideRow>();
    for (const override of await ended({ id: row.id, fromMs, untilMs })) overrides.set(override.id, override);
    const people = await timelines.people([
      ...after.flatMap(({ person }) => person ?? []),
      ...[...overrides.values()].map(({ userId }) => userId),
    ]);
    const overrideOf = (id: number | null) => {
      const override = id === null ? undefined : overrides.get(id);
      return override === undefined ? null : shownOverride(override, people);
    };
    return joined([
      ...before.map(({ email, name, overrideId, ...shift }) => ({
        fromMs: isWhole ? shift.fromMs : Math.max(shift.fromMs, fromMs),
        untilMs: shift.untilMs,
        person: email === null ? null : { email, name: name ?? email },
        override: overrideOf(overrideId),
      })),
      ...after.map((shift) => ({
        fromMs: shift.fromMs,
        untilMs: isWhole ? (timeline.shiftAt(shift.fromMs).untilMs ?? untilMs) : (shift.untilMs ?? untilMs),
        person: (shift.person !== null && people(shift.person)) || null,
        override: overrideOf(shift.override),
      })),
    ]);
  }
}

interface PastShift extends ShiftRow {
  readonly untilMs: number;
}

/** Keeps the shifts with another person than the one before. */
function changesOf(shifts: readonly Shift[], before: number | null): readonly Shift[] {
  let last = before;
  return shifts.filter(({ person }) => {
    const isChange = person !== last;
    last = person;
    return isChange;
  });
}

interface NamedShift extends Pick<OnCallShift, 'override'> {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly person: OnCallShift['person'] | null;
}

/** Joins a shift's recorded part with the computed one, and leaves out nobody's. */
function joined(shifts: readonly NamedShift[]): readonly OnCallShift[] {
  const whole: NamedShift[] = [];
  for (const shift of shifts) {
    const last = whole.at(-1);
    const goesOn = last?.untilMs === shift.fromMs && last.person?.email === shift.person?.email;
    if (last !== undefined && goesOn && last.override?.id === shift.override?.id)
      whole[whole.length - 1] = { ...last, untilMs: shift.untilMs };
    else whole.push(shift);
  }
  return whole.flatMap(({ fromMs, untilMs, person, override }) =>
    person === null ? [] : [{ from: toTimestamp(fromMs), until: toTimestamp(untilMs), person, override }],
  );
}

export function shownOverride({ publicId: id, userId, name: by, ...row }: OverrideRow, people: People): ShownOverride {
  const person = people(userId) ?? { email: '', name: '' };
  const [from, until] = [toTimestamp(row.fromMs), toTimestamp(row.untilMs)];
  return { id, person, from, until, by, created_at: toTimestamp(row.createdAtMs) };
}
