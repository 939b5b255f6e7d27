import { stringify } from 'uuid';
import { publicIdOf } from '../../../contract/public-id.ts';
import type { FirstAcceptance, Posted } from '../../calls.ts';
import { type KeptFields, SELECT_KEPT } from '../../event-columns.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';

/** Events per call. */
const STEP_ROWS = 50;

/** Repeats the index's words. Cleanup jobs handle deleted channels' and workspaces' events. */
const SCHEDULED = `FROM event JOIN channel ON channel.id = event.channel_id JOIN workspace ON workspace.id = event.workspace_id
  WHERE event.kind = 'scheduled'`;

const DUE = `
  SELECT event.id, event.uuid, event.workspace_id AS "workspaceId", channel.slug AS channel,
    event.idempotency_key AS "idempotencyKey", event.links_mark AS "linksMark", event.received_at AS "postedAtMs",
    event.announced, event.posted_by AS "postedBy", ${SELECT_KEPT}
  ${SCHEDULED} AND send_at <= CAST(:wallMs AS BIGINT) ORDER BY send_at, event.id
  LIMIT CAST(:limit AS BIGINT) OFFSET CAST(:skip AS BIGINT)`;

interface DueRow extends KeptFields, FirstAcceptance {
  readonly id: number;
  readonly uuid: Uint8Array;
  readonly workspaceId: number;
  readonly channel: string;
  readonly linksMark: string | null;
  readonly postedBy: string | null;
}

/**
 * Releases due events. Each is accepted once more, under its own id, in the transaction that takes it out of the
 * scheduled ones. So it is sent once, despite crashes and however many servers ask. Recipients, list order, quiet
 * hours, alerts and expiry use the time of release.
 */
export function releases(sql: Sql, { acceptEvent }: Pick<EngineDeps, 'acceptEvent'>) {
  const next = sql.value<object, number>(`SELECT send_at ${SCHEDULED} ORDER BY send_at, event.id LIMIT 1`);
  const due = sql.all<{ wallMs: number; limit: number; skip: number }, DueRow>(DUE);
  const take = sql.run<{ id: number }>('DELETE FROM event WHERE id = :id');

  return {
    async nextRelease(_, { wallMs }) {
      const at = await next({});
      return { inMs: at === undefined ? null : Math.max(0, at - wallMs) };
    },

    async releaseDue({ skip }, now) {
      const released: Posted[] = [];
      const { wallMs } = now;
      const rows = await due({ wallMs, limit: skip === undefined ? STEP_ROWS : 1, skip: skip ?? 0 });
      for (const { id, uuid: bytes, idempotencyKey, postedAtMs, announced, ...event } of rows) {
        const uuid = stringify(bytes);
        await take({ id });
        const ownFields = { boundKeyId: null, idempotencyKey: null, hadLinks: false, isOwn: true } as const;
        const first = { idempotencyKey, postedAtMs, announced };
        const answer = await acceptEvent({ ...event, ...ownFields, uuid, released: first }, now);
        if (answer.kind !== 'accepted') throw new Error(`a channel that is there takes no event: ${answer.kind}`);
        released.push({ workspaceId: event.workspaceId, publicId: publicIdOf(uuid) });
      }
      return { released };
    },
  } satisfies SomeHandlers;
}
