import type { Moment } from '../../../process/clock.ts';
import type { Actor } from '../../calls.ts';
import type { Sql } from '../../sql.ts';
import { announcing } from './announcing.ts';
import { onCallNotices } from './notices.ts';
import type { RotaRow } from './rows.ts';
import { rotaShifts } from './shifts.ts';
import { rotaTimelines } from './timelines.ts';

/** Handovers recorded for all rotas of a change: a person may leave 50 rotas, each with nine rows in all. */
const MOST_RECORDED = 150;

interface Manner {
  /** Gets no notice of the change. */
  readonly actor: Actor | undefined;
  /** The person who leaves the workspace. */
  readonly left?: number;
}

/**
 * Makes all changes of rotas and overrides. Records who was on call until then by the old state, and who is on call now
 * by the new one. So no change rewrites the past. Announces both in the same transaction.
 */
export function rotaChanging(sql: Sql) {
  const timelines = rotaTimelines(sql);
  const shifts = rotaShifts(sql);
  const announced = announcing(sql);
  const notices = onCallNotices(sql);

  async function load(id: number) {
    const rota = await timelines.ofRota(id);
    if (rota === undefined) throw new Error('a rota that changes is there');
    return rota;
  }

  return async function changing(
    rows: readonly RotaRow[],
    now: Moment,
    apply: () => unknown,
    manner: Manner,
  ): Promise<void> {
    const most = Math.ceil(MOST_RECORDED / Math.max(1, rows.length));
    const changed = [];
    for (const row of rows) {
      const due = await shifts.record(await timelines.load(row), now, most);
      changed.push({ before: await load(row.id), due: due.handedOver });
    }
    await apply();
    for (const { before, due } of changed) {
      const after = await load(before.row.id);
      const { handedOver } = await shifts.record(after, now);
      await notices.add(after.row, [
        ...(await announced.handover(before, due, now)),
        ...(await announced.handover(after, handedOver, now)),
        ...(await announced.change({ before, after, ...manner }, now)),
      ]);
    }
  };
}
