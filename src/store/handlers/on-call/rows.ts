import { dateOf } from '../../../contract/on-call/local-clock.ts';
import type { OnCallPerson, ShownRota } from '../../../contract/on-call/plan.ts';
import { shownHandover } from '../../../contract/on-call/plan.ts';
import type { Rota } from '../../../contract/on-call/rota.ts';
import type { Timeline } from '../../../contract/on-call/timeline.ts';
import { toTimestamp } from '../../../values/timestamp.ts';

export interface RotaRow {
  readonly id: number;
  readonly workspaceId: number;
  readonly slug: string;
  readonly name: string;
  readonly timezone: string;
  /** JSON list of people. */
  readonly members: string;
  readonly every: 'day' | 'week';
  readonly period: number;
  readonly weekday: number;
  readonly minute: number;
  readonly startsOn: number;
  readonly since: number;
  readonly anchor: number;
  readonly first: number;
  readonly announce: 0 | 1;
  readonly recordedAt: number;
  /** The person whose handover was announced last; null: nobody. */
  readonly announced: number | null;
  readonly createdAt: number;
}

/** Filter behind it. */
export const ROTAS = `
  SELECT rota.id, rota.workspace_id AS "workspaceId", rota.slug, rota.name, timezone, members, every, period, weekday,
    minute, starts_on AS "startsOn", since, anchor, first, announce, recorded_at AS "recordedAt", announced,
    rota.created_at AS "createdAt"
  FROM rota`;

export interface OverrideRow {
  readonly id: number;
  readonly publicId: string;
  readonly rotaId: number;
  readonly userId: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly madeBy: number | null;
  readonly name: string;
  readonly createdAtMs: number;
}

/** Join or filter behind it. */
export const OVERRIDES = `
  SELECT rota_override.id, public_id AS "publicId", rota_id AS "rotaId", rota_override.user_id AS "userId",
    from_at AS "fromMs", until_at AS "untilMs", made_by AS "madeBy", name, rota_override.created_at AS "createdAtMs"
  FROM rota_override`;

/** Leaves out the overrides of former members, which count as absent. */
export const OF_MEMBERS = `
  JOIN member ON member.workspace_id = rota_override.workspace_id AND member.user_id = rota_override.user_id`;

/** Returns the rota of the arithmetic. */
export function rotaOf(row: RotaRow): Rota {
  const { timezone, startsOn, anchor, first, since: sinceMs, every, period: count, weekday, minute } = row;
  return {
    timezone,
    startsOn,
    anchor,
    first,
    sinceMs,
    members: membersOf(row),
    handover: { every, count, weekday, minute },
  };
}

export function membersOf({ members }: Pick<RotaRow, 'members'>): readonly number[] {
  return JSON.parse(members) as readonly number[];
}

/** The reverse of `rotaOf`. */
export function columnsOf({ timezone, startsOn, anchor, first, sinceMs, members, handover }: Rota) {
  const { every, count: period, weekday, minute } = handover;
  const since = sinceMs;
  return { timezone, startsOn, anchor, first, since, members: JSON.stringify(members), every, period, weekday, minute };
}

/** Finds a person who is there. */
export type People = (id: number) => OnCallPerson | undefined;

export function shownRota(row: RotaRow, timeline: Timeline, people: People, nowMs: number): ShownRota {
  const person = (id: number | null) => (id === null ? null : (people(id) ?? null));
  const shift = timeline.shiftAt(nowMs);
  return {
    slug: row.slug,
    name: row.name,
    timezone: row.timezone,
    members: membersOf(row).flatMap((id) => people(id)?.email ?? []),
    handover: shownHandover(rotaOf(row).handover),
    starts_on: dateOf(row.startsOn),
    announce: row.announce === 1,
    on_call: person(shift.person),
    until: shift.untilMs === null ? null : toTimestamp(shift.untilMs),
    next: shift.untilMs === null ? null : person(timeline.at(shift.untilMs).person),
    created_at: toTimestamp(row.createdAt),
  };
}
