import { parse } from 'uuid';
import { uuidOf } from '../../../contract/public-id.ts';
import type { Actor, AlertAsker, Refusal } from '../../calls.ts';
import { adminsOnly, noEvent } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import { type AskerParams, askerParams, isAskers } from '../alerts/finding.ts';
import { sessionOf, vouchers } from '../people/vouchers.ts';
import type { EventCountsRow, EventTextRow } from './event-rows.ts';
import { EVENT_TEXTS } from './events.ts';
import { IS_THERE } from './is-there.ts';

export type CancellableEvent = EventTextRow & EventCountsRow;

export interface Cancellable {
  /** Of an asker who may take it back: a key that reaches it, a manager of its workspace, or an operator. */
  find(asked: AlertAsker & { publicId: string }, actor?: Actor): Promise<CancellableEvent | Refusal>;
  read(uuid: Uint8Array): Promise<CancellableEvent | undefined>;
  /** Where its time is to come: then nothing else of it waits. Returns whether that was so. */
  unschedule(id: number, wallMs: number): Promise<boolean>;
}

const EVENT = `${EVENT_TEXTS} WHERE event.uuid = :uuid AND ${IS_THERE}`;

export function cancellable(sql: Sql): Cancellable {
  const any = sql.get<{ uuid: Uint8Array }, CancellableEvent>(EVENT);
  const askers = sql.get<AskerParams & { uuid: Uint8Array }, CancellableEvent>(`${EVENT} AND ${isAskers('event')}`);
  const workspaceOf = sql.value<{ id: number }, number>('SELECT workspace_id FROM event WHERE id = :id');
  const unschedule = sql.run<{ id: number; wallMs: number }>(
    "UPDATE event SET kind = 'cancelled', cancelled_at = :wallMs WHERE id = :id AND kind = 'scheduled'",
  );
  const { roleOf } = vouchers(sql);

  return {
    async find({ publicId, ...asker }, actor) {
      const uuid = uuidOf(publicId);
      const row = uuid === null ? undefined : await askers({ ...askerParams(asker, actor), uuid: parse(uuid) });
      if (row === undefined) return noEvent(publicId);
      if (asker.userId === undefined) return row;
      const role = await roleOf(sessionOf(actor), (await workspaceOf(row)) ?? 0);
      return role === 'owner' || role === 'admin' ? row : adminsOnly();
    },
    read: async (uuid) => any({ uuid }),
    unschedule: async (id, wallMs) => (await unschedule({ id, wallMs })) > 0,
  };
}
