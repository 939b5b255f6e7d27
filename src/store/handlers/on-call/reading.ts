import { shiftRange } from '../../../contract/on-call/plan.ts';
import { toTimestamp } from '../../../values/timestamp.ts';
import { type Actor, type ArgsOf, isRefusal, type OnCallStatus, type Refusal } from '../../calls.ts';
import { invalidField, noRota } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { isInReach } from '../keys/bindings.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { IS_VOUCHED, sessionOf } from '../people/vouchers.ts';
import { calendarReading } from './calendars.ts';
import { membersOf, shownRota } from './rows.ts';
import { rotaShifts } from './shifts.ts';
import { type LoadedRota, rotaTimelines } from './timelines.ts';

/** How far ahead a person's next shift is looked for. */
const AHEAD_MS = 180 * 86_400_000;

/** A workspace. `rotas`: those that the caller may see; absent: all. */
interface Place extends Pick<WorkspaceRow, 'id' | 'slug' | 'name'> {
  readonly rotas?: ReadonlySet<number>;
}

/** Reads rotas and their shifts, also beside the store thread. */
export function onCallReading(sql: Sql) {
  const placesOf = sql.all<{ userId: number; session: Buffer }, Place>(`
    SELECT workspace.id, workspace.slug, workspace.name FROM member
    JOIN workspace ON workspace.id = member.workspace_id
    WHERE member.user_id = :userId AND ${IS_VOUCHED}
    ORDER BY workspace.slug
  `);
  const placesWithRotas = sql.all<object, Place>(
    'SELECT id, slug, name FROM workspace WHERE id IN (SELECT workspace_id FROM rota) ORDER BY slug',
  );
  const rotasOfKey = sql.values<{ boundKeyId: string | null }, number>(
    `SELECT DISTINCT rota_id FROM channel WHERE rota_id IS NOT NULL AND ${isInReach('id')}`,
  );
  const find = lookups(sql);
  const timelines = rotaTimelines(sql);
  const shifts = rotaShifts(sql);

  async function placeOf(slug: string, userId: number | undefined, actor: Actor | undefined) {
    return userId === undefined ? find.workspace(slug) : find.workspaceOf(userId, slug, actor);
  }

  const peopleOf = (rotas: readonly LoadedRota[]) =>
    timelines.people(
      rotas.flatMap(({ row, overrides }) => [...membersOf(row), ...overrides.map(({ userId }) => userId)]),
    );

  async function statusIn(place: Place, userId: number | undefined, wallMs: number): Promise<readonly OnCallStatus[]> {
    const rotas = (await timelines.ofWorkspace(place.id)).filter(({ row }) => place.rotas?.has(row.id) ?? true);
    const people = await peopleOf(rotas);
    return rotas.map(({ row, timeline }) => {
      const { slug, name, timezone, on_call, until, next } = shownRota(row, timeline, people, wallMs);
      const own = userId === undefined ? null : ownNext(timeline, userId, wallMs);
      return {
        workspace: place.slug,
        workspace_name: place.name,
        slug,
        name,
        timezone,
        on_call,
        until,
        next,
        own_next: own,
      };
    });
  }

  return {
    ...calendarReading(sql),

    async listRotas({ workspace: name, userId }, { wallMs }, actor) {
      const workspace = await placeOf(name, userId, actor);
      if (isRefusal(workspace)) return workspace;
      const rotas = await timelines.ofWorkspace(workspace.id);
      const people = await peopleOf(rotas);
      return rotas.map(({ row, timeline }) => shownRota(row, timeline, people, wallMs));
    },

    async showRota({ workspace: name, slug, userId }, { wallMs }, actor) {
      const workspace = await placeOf(name, userId, actor);
      if (isRefusal(workspace)) return workspace;
      const row = await timelines.find(workspace.id, slug);
      if (row === undefined) return noRota(slug, workspace);
      const rota = await timelines.load(row);
      return shownRota(row, rota.timeline, await peopleOf([rota]), wallMs);
    },

    async listShifts({ workspace: name, slug, userId, ...asked }, { wallMs }, actor) {
      const workspace = await placeOf(name, userId, actor);
      if (isRefusal(workspace)) return workspace;
      const row = await timelines.find(workspace.id, slug);
      if (row === undefined) return noRota(slug, workspace);
      const range = shiftRange(asked, wallMs);
      if ('message' in range) return invalidField(range);
      return shifts.read(await timelines.load(row), range.fromMs, range.untilMs);
    },

    async listOnCall(asked, { wallMs }, actor): Promise<readonly OnCallStatus[] | Refusal> {
      const [places, userId] = await placesFor(asked, actor);
      if (isRefusal(places)) return places;
      const all: OnCallStatus[] = [];
      for (const place of places) all.push(...(await statusIn(place, userId, wallMs)));
      return all;
    },
  } satisfies SomeHandlers;

  async function placesFor(
    asked: ArgsOf<'listOnCall'>,
    actor: Actor | undefined,
  ): Promise<[readonly Place[] | Refusal, number?]> {
    if ('userId' in asked) return [await placesOf({ userId: asked.userId, session: sessionOf(actor) }), asked.userId];
    if ('workspaceId' in asked) {
      const place = await find.workspaceById(asked.workspaceId);
      if (place === undefined || asked.boundKeyId === null) return [place === undefined ? [] : [place]];
      return [[{ ...place, rotas: new Set(await rotasOfKey(asked)) }]];
    }
    if (asked.workspace === undefined) return [await placesWithRotas({})];
    const place = await find.workspace(asked.workspace);
    return [isRefusal(place) ? place : [place]];
  }
}

/** Returns a person's shift that is on, or the next. Joins shifts that touch. */
function ownNext(timeline: LoadedRota['timeline'], userId: number, wallMs: number) {
  const shift = timeline.shifts(wallMs, wallMs + AHEAD_MS).find(({ person }) => person === userId);
  if (shift === undefined) return null;
  const { untilMs } = timeline.shiftAt(shift.fromMs);
  return { from: toTimestamp(shift.fromMs), until: untilMs === null ? null : toTimestamp(untilMs) };
}
