import { uuidBytesOf } from '../../../contract/public-id.ts';
import type { Moment } from '../../../process/clock.ts';
import type { AlertState } from '../../../push.ts';
import { type AnswerOf, isRefusal, type LinkLoss, type Refusal } from '../../calls.ts';
import { type KeptFields, keptFields, SELECT_KEPT } from '../../event-columns.ts';
import {
  allowanceSpent,
  conflict,
  deliveriesForgotten,
  noEvent,
  nothingToResend,
  stillCancelling,
} from '../../refusals.ts';
import { lifeMs, type StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import { HOLDER, MARKS, STATE } from '../alerts/alert-rows.ts';
import { type StoredManner, storedAnew } from '../alerts/push.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import type { EventCountsRow, EventTextRow } from './event-rows.ts';
import { EVENT_BY_ID, withCounts } from './events.ts';
import { resendSteps } from './resend-steps.ts';
import { IS_THERE } from './states.ts';

/** An event to post again. */
interface SourceRow extends KeptFields, StoredManner {
  readonly id: number;
  readonly workspaceId: number;
  readonly workspaceStatus: 'active' | 'suspended';
  /** Null: a test push. */
  readonly channel: string | null;
  readonly channelStatus: 'active' | 'inactive' | null;
  readonly hadLinks: 0 | 1;
  readonly isCancelled: 0 | 1;
  /** Null: no alert. */
  readonly alertState: AlertState | null;
  /** The person who has the alert; null: nobody. */
  readonly takenBy: string | null;
}

const SOURCE = `
  SELECT event.id, event.workspace_id AS "workspaceId", workspace.status AS "workspaceStatus", channel.slug AS channel,
    channel.status AS "channelStatus", had_links AS "hadLinks",
    CASE WHEN cancelled_at IS NULL THEN 0 ELSE 1 END AS "isCancelled", event.alert, event.quiet, ${STATE} AS "alertState",
    ${HOLDER} AS "takenBy",
    ${SELECT_KEPT}
  FROM event JOIN workspace ON workspace.id = event.workspace_id LEFT JOIN channel ON channel.id = event.channel_id
    LEFT JOIN alert ON alert.event_id = event.alert_id ${MARKS}
  WHERE event.uuid = :uuid AND ${IS_THERE}`;

const REVIVE =
  'UPDATE event SET expires_at = :expiresAtMs, cancelled_at = NULL, alert = :alert, quiet = :quiet WHERE id = :id';

/** Begins a resend, or continues one. */
const BEGIN = `
  INSERT INTO resend (event_id, stage, at) VALUES (:id, 'tried', :wallMs)
  ON CONFLICT (event_id) DO UPDATE SET stage = excluded.stage, cursor = 0, resent = 0, at = excluded.at
  WHERE resend.stage = 'done'`;

/** Rows per call. */
const STEP_ROWS = 200;

type Counted = EventTextRow & EventCountsRow;

/**
 * Resends events: failed and expired pushes under the event's own id, or the whole event as a new one. One row decides
 * a resend under the own id. Its pushes return to the queue in small steps, by the client that asks for the next one,
 * or else by housekeeping.
 */
export function resends(sql: Sql, settings: StoreSettings, { acceptEvent }: EngineDeps) {
  const steps = resendSteps(sql, settings);
  const counted = sql.get<{ id: number }, Counted>(EVENT_BY_ID);
  const source = sql.get<{ uuid: Uint8Array | null }, SourceRow>(SOURCE);
  const revive = sql.run<StoredManner & { id: number; expiresAtMs: number }>(REVIVE);
  const begin = sql.run<{ id: number; wallMs: number }>(BEGIN);
  const progress = sql.get<{ id: number }, { stage: string; resent: number }>(
    'SELECT stage, resent FROM resend WHERE event_id = :id',
  );

  async function sourceOf(publicId: string): Promise<SourceRow | Refusal> {
    return (await source({ uuid: uuidBytesOf(publicId) })) ?? noEvent(publicId);
  }

  async function read(id: number): Promise<ReturnType<typeof withCounts>> {
    const row = await counted({ id });
    if (row === undefined) throw new Error('an event that was just found is there');
    return withCounts(row);
  }

  async function problemOf(publicId: string, { id, isCancelled }: SourceRow, wallMs: number): Promise<Refusal | null> {
    const { deliveries, received_at } = await read(id);
    if (isCancelled === 1 && deliveries.pending > 0) return stillCancelling(publicId);
    if (Date.parse(received_at) < wallMs - settings.deliveriesRetentionMs) return deliveriesForgotten(publicId);
    return deliveries.failed + deliveries.expired === 0 ? nothingToResend(publicId) : null;
  }

  async function step(id: number, now: Moment) {
    await steps.ofEvent(id, STEP_ROWS, now);
    const { stage, resent } = (await progress({ id })) ?? { stage: 'done', resent: 0 };
    return { event: await read(id), resent, done: stage === 'done' };
  }

  return {
    async resendEvent({ publicId, workspace }, now): Promise<AnswerOf<'resendEvent'>> {
      const found = await sourceOf(publicId);
      if (isRefusal(found)) return found;
      if (workspace !== undefined && (await read(found.id)).workspace !== workspace) return noEvent(publicId);
      const { id, expiresInS, hadLinks } = found;
      const isUnderWay = ((await progress({ id }))?.stage ?? 'done') !== 'done';
      const problem = isUnderWay ? null : await problemOf(publicId, found, now.wallMs);
      if (problem !== null) return problem;
      const held: LinkLoss = (await read(id)).deliveries.pending > 0 ? 'unknown' : 'lost';
      const manner = storedAnew(found, now.wallMs);
      await revive({ id, expiresAtMs: now.steadyMs + lifeMs(expiresInS, settings.ttlMs), ...manner });
      await begin({ id, wallMs: now.wallMs });
      return { ...(await step(id, now)), links: hadLinks === 1 ? held : 'none' };
    },

    async continueResend({ publicId }, now) {
      const found = await sourceOf(publicId);
      return isRefusal(found) ? found : step(found.id, now);
    },

    async repostEvent({ publicId, uuid }, now) {
      const found = await sourceOf(publicId);
      if (isRefusal(found)) return found;
      const { workspaceStatus, channel, channelStatus, hadLinks, id } = found;
      const posted = { ...keptFields(found), workspaceId: found.workspaceId };
      if (channel === null) return conflict('test_push', {}, 'See `pushctl device test <id>`.');
      const { workspace } = await read(id);
      const place = `${workspace} ${channel}`;
      if (workspaceStatus !== 'active')
        return conflict('suspended', { workspace }, `See \`pushctl workspace activate ${workspace}\`.`);
      if (channelStatus !== 'active')
        return conflict('inactive_channel', { channel }, `See \`pushctl channel activate ${place}\`.`);
      const ofNoKey = { boundKeyId: null, postedBy: null, idempotencyKey: null, linksMark: null } as const;
      const fresh = { ...ofNoKey, sendAtMs: null, uuid };
      const answer = await acceptEvent({ ...posted, ...fresh, channel, hadLinks: hadLinks === 1 }, now);
      if (answer.kind === 'allowance_exhausted') return allowanceSpent(workspace);
      if (answer.kind !== 'accepted') throw new Error(`a channel that was just found takes no event: ${answer.kind}`);
      return { event: await read(answer.eventId), links: hadLinks === 1 ? 'lost' : 'none' };
    },
  } satisfies SomeHandlers;
}
