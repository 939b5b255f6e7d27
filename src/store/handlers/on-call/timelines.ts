/**
 * Loads rotas with their resolved timelines.
 *
 *     const { ofRota } = rotaTimelines(sql);
 *     const found = await ofRota(rotaId);               // undefined: the rota is deleted
 *     found?.timeline.at(now.wallMs).person             // the person on call, by internal id; null: nobody
 *     found?.timeline.shiftAt(now.wallMs)               // until another person takes over: `untilMs`, null: never
 *     found?.timeline.shifts(fromMs, untilMs)           // cut at both ends; `override`: `rota_override.id`
 *
 * A timeline counts from `row.recordedAt` on. The past is in `on_call_shift`: `rotaShifts(sql)` records and reads it.
 * All changes of rotas and overrides pass `rotaChanging(sql)`.
 */
import { type Timeline, timelineOf } from '../../../contract/on-call/timeline.ts';
import { ID_LIST, idList, MOST_IDS, type Sql } from '../../sql.ts';
import { shownName } from '../alerts/shown-name.ts';
import { OF_MEMBERS, OVERRIDES, type OverrideRow, type People, ROTAS, type RotaRow, rotaOf } from './rows.ts';

export interface LoadedRota {
  readonly row: RotaRow;
  /** That end after `row.recordedAt`, in order of creation. */
  readonly overrides: readonly OverrideRow[];
  readonly timeline: Timeline;
}

export function rotaTimelines(sql: Sql) {
  const byId = sql.get<{ id: number }, RotaRow>(`${ROTAS} WHERE rota.id = :id`);
  const bySlug = sql.get<{ workspaceId: number; slug: string }, RotaRow>(
    `${ROTAS} WHERE workspace_id = :workspaceId AND slug = :slug`,
  );
  const ofPlace = sql.all<{ workspaceId: number }, RotaRow>(`${ROTAS} WHERE workspace_id = :workspaceId ORDER BY slug`);
  const overridesOfRota = sql.all<{ id: number; recordedAt: number }, OverrideRow>(
    `${OVERRIDES} ${OF_MEMBERS} WHERE rota_id = :id AND until_at > :recordedAt ORDER BY rota_override.id`,
  );
  const overridesOfPlace = sql.all<{ workspaceId: number; recordedAt: number }, OverrideRow>(`
    ${OVERRIDES} ${OF_MEMBERS} WHERE rota_override.workspace_id = :workspaceId AND until_at > :recordedAt
    ORDER BY rota_override.id
  `);
  const named = sql.all<ReturnType<typeof idList>, { id: number; email: string; name: string }>(
    `SELECT id, email, name FROM person WHERE id IN ${ID_LIST}`,
  );

  const load = async (row: RotaRow) => loaded(row, await overridesOfRota(row));

  return {
    load,

    async ofRota(id: number): Promise<LoadedRota | undefined> {
      const row = await byId({ id });
      return row && load(row);
    },

    find: async (workspaceId: number, slug: string) => bySlug({ workspaceId, slug }),

    /** Sorted by slug. */
    async ofWorkspace(workspaceId: number): Promise<readonly LoadedRota[]> {
      const rows = await ofPlace({ workspaceId });
      const recordedAt = Math.min(...rows.map((row) => row.recordedAt));
      const overrides = rows.length === 0 ? [] : await overridesOfPlace({ workspaceId, recordedAt });
      const byRota = Map.groupBy(overrides, ({ rotaId }) => rotaId);
      return rows.map((row) => loaded(row, byRota.get(row.id) ?? []));
    },

    /** Names people as members see them. */
    async people(ids: Iterable<number>): Promise<People> {
      const wanted = [...new Set(ids)];
      const known = new Map<number, { email: string; name: string }>();
      for (let from = 0; from < wanted.length; from += MOST_IDS) {
        for (const { id, email, name } of await named(idList(wanted.slice(from, from + MOST_IDS)))) {
          known.set(id, { email, name: shownName({ email, name }) });
        }
      }
      return (id) => known.get(id);
    },
  };
}

/** Resolves a row with overrides in order of creation. */
export function loaded(row: RotaRow, overrides: readonly OverrideRow[]): LoadedRota {
  const people = overrides.map(({ id, userId: person, fromMs, untilMs }) => ({ id, person, fromMs, untilMs }));
  return { row, overrides, timeline: timelineOf(rotaOf(row), people) };
}
