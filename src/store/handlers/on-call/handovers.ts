import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { announcing } from './announcing.ts';
import { onCallNotices } from './notices.ts';
import { rotaShifts } from './shifts.ts';
import { rotaTimelines } from './timelines.ts';

/** Rotas per call. */
const MOST_ROTAS = 20;
/** Rows per call, roughly; the next call does the rest. */
const MOST_ROWS = 200;

/** Cleanup jobs remove the rotas of deleted workspaces. */
const NEXT = `
  FROM rota JOIN workspace ON workspace.id = rota.workspace_id WHERE next_at IS NOT NULL`;

/** Records due handovers and posts pushes, each in one transaction: once, whatever crashes and however many nodes. */
export function handovers(sql: Sql, deps: Pick<EngineDeps, 'postOwn'>) {
  const next = sql.value<object, number>(`SELECT next_at ${NEXT} ORDER BY next_at LIMIT 1`);
  const due = sql.values<{ wallMs: number }, number>(
    `SELECT rota.id ${NEXT} AND next_at <= CAST(:wallMs AS BIGINT) ORDER BY next_at, rota.id LIMIT ${MOST_ROTAS}`,
  );
  const timelines = rotaTimelines(sql);
  const shifts = rotaShifts(sql);
  const announced = announcing(sql);
  const notices = onCallNotices(sql);

  return {
    async nextHandover(_, { wallMs }) {
      if (await notices.isAny()) return { inMs: 0 };
      const at = await next({});
      return { inMs: at === undefined ? null : Math.max(0, at - wallMs) };
    },

    async handOver(_, now) {
      const workspaces = new Set<number>();
      let rows = 0;
      for (const id of await due(now)) {
        if (rows >= MOST_ROWS) break;
        const rota = await timelines.ofRota(id);
        if (rota === undefined) continue;
        const { recorded, handedOver } = await shifts.record(rota, now);
        await notices.add(rota.row, await announced.handover(rota, handedOver, now));
        rows += 2 + recorded;
        workspaces.add(rota.row.workspaceId);
      }
      await notices.post(MOST_ROWS - rows, deps, now);
      return { workspaces: [...workspaces] };
    },
  } satisfies SomeHandlers;
}
