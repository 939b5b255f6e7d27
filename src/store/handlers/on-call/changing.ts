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

/** Makes all changes of rotas and overrides: records who was on call until then, and who is on call now. */
export function rotaChanging(sql: Sql) {
  const timelines = rotaTimelines(sql);
  const shifts = rotaShifts(sql);

  return async function changing(row: RotaRow, now: Moment, apply: () => unknown): Promise<ChangedRota> {
    const before = await timelines.load(row);
    const due = await shifts.record(before, now);
    await apply();
    const after = await timelines.ofRota(row.id);
    if (after === undefined) return { before, after: before, handedOver: due === null ? [] : [due] };
    const byChange = await shifts.record(after, now);
    return { before, after, handedOver: [due, byChange].filter((handedOver) => handedOver !== null) };
  };
}
