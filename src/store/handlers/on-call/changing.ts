import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';
import type { RotaRow } from './rows.ts';
import { type HandedOver, rotaShifts } from './shifts.ts';
import { type LoadedRota, rotaTimelines } from './timelines.ts';

/** A change of a rota or its overrides, as a whole. */
export interface ChangedRota {
  readonly before: LoadedRota;
  readonly after: LoadedRota;
  /** Changes of person: handovers that were due before, and the one by the change. */
  readonly handedOver: readonly HandedOver[];
}

/** Handovers recorded for all rotas of a change. */
const MOST_RECORDED = 300;

/**
 * Makes all changes of rotas and overrides. Records who was on call until then by the old state, and who is on call now
 * by the new one. So no change rewrites the past.
 */
export function rotaChanging(sql: Sql) {
  const timelines = rotaTimelines(sql);
  const shifts = rotaShifts(sql);

  return async function changing(
    rows: readonly RotaRow[],
    now: Moment,
    apply: () => unknown,
  ): Promise<readonly ChangedRota[]> {
    const most = Math.ceil(MOST_RECORDED / Math.max(1, rows.length));
    const rotas: { before: LoadedRota; due: HandedOver | null }[] = [];
    for (const row of rows) {
      const before = await timelines.load(row);
      rotas.push({ before, due: await shifts.record(before, now, most) });
    }
    await apply();
    const changed: ChangedRota[] = [];
    for (const { before, due } of rotas) {
      const after = await timelines.ofRota(before.row.id);
      if (after === undefined) throw new Error('a rota that changes is there');
      const byChange = await shifts.record(after, now, most);
      const handedOver = [due, byChange].filter((handover) => handover !== null);
      changed.push({ before, after, handedOver });
    }
    return changed;
  };
}
