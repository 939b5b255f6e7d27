import { type FieldProblem, fieldProblem } from '../../../contract/details.ts';
import { canonicalEmail, displayName, displayNameProblem, slugProblem } from '../../../contract/names.ts';
import { movedShifts } from '../../../contract/on-call/moved.ts';
import {
  HANDOVER_BY_DEFAULT,
  MOST_ROTAS,
  MOVED_WITHIN_MS,
  membersProblem,
  plannedHandover,
  startDay,
  timezoneProblem,
} from '../../../contract/on-call/plan.ts';
import { changedRota, newRota, type Rota, type RotaChange } from '../../../contract/on-call/rota.ts';
import type { Timeline } from '../../../contract/on-call/timeline.ts';
import type { Moment } from '../../../process/clock.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import {
  type Actor,
  isRefusal,
  type Refusal,
  type RotaAnswer,
  type RotaChangeRequest,
  type RotaRequest,
} from '../../calls.ts';
import { invalidField, rotaExists, rotaInUse, tooManyRotas, wrongField } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { rotaChanging } from './changing.ts';
import { columnsOf, membersOf, type RotaRow, rotaOf, shownRota } from './rows.ts';
import { type LoadedRota, loaded, rotaTimelines } from './timelines.ts';

const INSERT = `
  INSERT INTO rota (workspace_id, slug, name, timezone, members, every, period, weekday, minute, starts_on, since, anchor,
    first, announce, recorded_at, created_at)
  VALUES (:workspaceId, :slug, :name, :timezone, :members, :every, :period, :weekday, :minute, :startsOn, :since, :anchor,
    :first, :announce, :recordedAt, :wallMs)`;

const CHANGE = `
  UPDATE rota SET name = :name, timezone = :timezone, members = :members, every = :every, period = :period,
    weekday = :weekday, minute = :minute, starts_on = :startsOn, since = :since, anchor = :anchor, first = :first,
    announce = :announce
  WHERE id = :id`;

/** Nobody is on call: of a rota that is not there. */
const NOBODY: Pick<Timeline, 'shifts'> = { shifts: () => [] };

/** Adds, changes and removes rotas. With `preview`, says what would move instead. */
export function rotaChanges(sql: Sql) {
  const insert = sql.insert<object>(INSERT);
  const save = sql.run<object>(CHANGE);
  const remove = sql.run<{ id: number }>('DELETE FROM rota WHERE id = :id');
  const namedBy = sql.value<{ id: number }, string>(
    'SELECT slug FROM channel WHERE rota_id IS NOT NULL AND rota_id = :id ORDER BY slug LIMIT 1',
  );
  const countOf = sql.value<{ workspaceId: number }, number>(
    'SELECT count(*) FROM rota WHERE workspace_id = :workspaceId',
  );
  const find = lookups(sql);
  const timelines = rotaTimelines(sql);
  const changing = rotaChanging(sql);

  async function memberIds(workspace: WorkspaceRow, members: readonly string[]): Promise<readonly number[] | Refusal> {
    const emails = members.map(canonicalEmail);
    const problem = membersProblem(emails);
    if (problem !== null) return invalidField(problem);
    const ids: number[] = [];
    for (const email of emails) {
      const member = await find.member(workspace, email);
      if (isRefusal(member)) return wrongField('members', member);
      ids.push(member.id);
    }
    return ids;
  }

  /** Returns the rota's new state, or the fault. */
  async function planned(
    workspace: WorkspaceRow,
    { row, timeline }: LoadedRota,
    asked: Omit<RotaChangeRequest, 'workspace' | 'slug'>,
    { wallMs }: Moment,
  ): Promise<RotaRow | Refusal> {
    const rota = rotaOf(row);
    const hasBegun = wallMs >= rota.sinceMs;
    const timing = plannedTiming(rota, asked, hasBegun, wallMs);
    if ('message' in timing) return invalidField(timing);
    const members = asked.members === undefined ? undefined : await memberIds(workspace, asked.members);
    if (isRefusal(members)) return members;
    const plan = { ...timing, ...(members !== undefined && { members }) };
    const onCall = asked.onCall === undefined ? undefined : await find.member(workspace, asked.onCall);
    if (isRefusal(onCall)) return wrongField('on_call', onCall);
    if (onCall !== undefined) {
      const isMember = (plan.members ?? rota.members).includes(onCall.id);
      const code = onCallProblem(isMember, hasBegun, timeline.at(wallMs).override !== null);
      if (code !== null) return invalidField(fieldProblem('on_call', code));
    }
    const name = displayName(asked.name ?? row.name);
    const problem = displayNameProblem(name);
    if (problem !== null) return invalidField(problem);
    const { announce = row.announce === 1 } = asked;
    const change = { ...plan, ...(onCall !== undefined && { onCall: onCall.id }) };
    return { ...row, ...columnsOf(afterChange(rota, change, hasBegun, wallMs)), name, announce: announce ? 1 : 0 };
  }

  async function again(id: number): Promise<LoadedRota> {
    const rota = await timelines.ofRota(id);
    if (rota === undefined) throw new Error('a rota that was just written is there');
    return rota;
  }

  async function answer(
    before: Pick<Timeline, 'shifts'>,
    after: LoadedRota,
    isPreview: boolean,
    { wallMs }: Moment,
    next: Pick<Timeline, 'shifts'> = after.timeline,
  ): Promise<RotaAnswer> {
    const moved = isPreview ? movedShifts(before, next, wallMs, wallMs + MOVED_WITHIN_MS) : null;
    const named = [...(moved ?? []).flatMap((shift) => [shift.before, shift.after])].filter((id) => id !== null);
    const overridden = after.overrides.map(({ userId }) => userId);
    const people = await timelines.people([...membersOf(after.row), ...named, ...overridden]);
    const person = (id: number | null) => (id === null ? null : (people(id) ?? null));
    return {
      rota: shownRota(after.row, after.timeline, people, wallMs),
      ...(moved !== null && {
        moved: moved.map(({ fromMs, untilMs, ...shift }) => ({
          from: toTimestamp(fromMs),
          until: toTimestamp(untilMs),
          before: person(shift.before),
          after: person(shift.after),
        })),
      }),
    };
  }

  return {
    async add(
      workspace: WorkspaceRow,
      { slug, preview = false, ...asked }: Omit<RotaRequest, 'workspace'>,
      now: Moment,
      actor: Actor | undefined,
    ): Promise<(RotaAnswer & { created: boolean }) | Refusal> {
      const { wallMs } = now;
      const wrong = slugProblem(slug);
      if (wrong !== null) return invalidField(wrong);
      if ((await timelines.find(workspace.id, slug)) !== undefined) return rotaExists(slug, workspace.slug);
      if (((await countOf({ workspaceId: workspace.id })) ?? 0) >= MOST_ROTAS)
        return tooManyRotas(workspace.slug, MOST_ROTAS);
      const { timezone = 'UTC', handover = HANDOVER_BY_DEFAULT, name = slug, ...others } = asked;
      const row = await planned(
        workspace,
        loaded(notYet(workspace.id, slug, wallMs), []),
        { ...others, timezone, handover, name },
        now,
      );
      if (isRefusal(row)) return row;
      if (preview) return { ...(await answer(NOBODY, loaded(row, []), true, now)), created: false };
      // Those who were on call since its start are in the past.
      const recordedAt = Math.min(wallMs, Math.max(row.since, wallMs - MOVED_WITHIN_MS));
      const id = await insert({ ...row, recordedAt, wallMs });
      await changing([{ ...row, id, recordedAt }], now, () => null, { actor });
      return { ...(await answer(NOBODY, await again(id), false, now)), created: true };
    },

    async change(
      workspace: WorkspaceRow,
      row: RotaRow,
      { preview = false, ...asked }: Omit<RotaChangeRequest, 'workspace' | 'slug'>,
      now: Moment,
      actor: Actor | undefined,
    ): Promise<RotaAnswer | Refusal> {
      const before = await timelines.load(row);
      const next = await planned(workspace, before, asked, now);
      if (isRefusal(next)) return next;
      if (preview) return answer(before.timeline, loaded(next, before.overrides), true, now);
      await changing([row], now, () => save(next), { actor });
      return answer(before.timeline, await again(row.id), false, now);
    },

    async remove(row: RotaRow, isPreview: boolean, now: Moment): Promise<RotaAnswer | Refusal> {
      const channel = await namedBy(row);
      if (channel !== undefined) return rotaInUse(row.slug, channel);
      const rota = await timelines.load(row);
      if (!isPreview) await remove(row);
      return answer(rota.timeline, rota, isPreview, now, NOBODY);
    },
  };
}

/** The state before a new rota's first plan, which begins in the far future. */
function notYet(workspaceId: number, slug: string, wallMs: number): RotaRow {
  const place = { id: 0, workspaceId, slug, name: slug, timezone: 'UTC', members: '[]' };
  const times = { every: 'week', period: 1, weekday: 0, minute: 0, startsOn: 0, anchor: 0, first: 0 } as const;
  return {
    ...place,
    ...times,
    since: Number.MAX_SAFE_INTEGER,
    announce: 1,
    recordedAt: wallMs,
    announced: null,
    createdAt: wallMs,
  };
}

type Timing = Pick<Rota, 'timezone' | 'handover' | 'startsOn'>;

/** Returns the asked fields of the timing, or the fault. A new rota starts at once by default. */
function plannedTiming(
  { startsOn, timezone: zone, handover: before }: Rota,
  { timezone, handover, startsOn: date }: Pick<RotaChangeRequest, 'timezone' | 'handover' | 'startsOn'>,
  hasBegun: boolean,
  wallMs: number,
): Partial<Timing> | FieldProblem {
  const problem = timezone === undefined ? null : timezoneProblem(timezone);
  if (problem !== null) return problem;
  const rule = handover === undefined ? undefined : plannedHandover(handover);
  if (rule !== undefined && 'message' in rule) return rule;
  const isKept = date === undefined && startsOn > 0;
  const times = { timezone: timezone ?? zone, handover: rule ?? before };
  const day = isKept ? startsOn : startDay(date, times, wallMs);
  if (typeof day !== 'number') return day;
  if (hasBegun && day !== startsOn) return fieldProblem('starts_on', 'has_begun');
  return {
    ...(timezone !== undefined && { timezone }),
    ...(rule !== undefined && { handover: rule }),
    ...(day !== startsOn && { startsOn: day }),
  };
}

function onCallProblem(isMember: boolean, hasBegun: boolean, isOverridden: boolean) {
  if (!isMember) return 'rota_member';
  if (!hasBegun) return 'rota_begun';
  return isOverridden ? 'during_override' : null;
}

/** Keeps the whole rhythm if nothing of it changes. */
function afterChange(rota: Rota, change: RotaChange & Partial<Timing>, hasBegun: boolean, wallMs: number): Rota {
  if (Object.keys(change).length === 0) return rota;
  return hasBegun ? changedRota(rota, change, wallMs) : newRota({ ...rota, ...change });
}
