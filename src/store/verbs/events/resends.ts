import { parse } from 'uuid';
import { uuidOf } from '../../../contract/public-id.ts';
import { type AnswerOf, isRefusal, type Links, type Refusal } from '../../calls.ts';
import { type KeptFields, SELECT_KEPT } from '../../event-columns.ts';
import {
  allowanceSpent,
  deliveriesForgotten,
  noEvent,
  nothingToResend,
  stillCancelling,
  unpostable,
} from '../../refusals.ts';
import { accept, lifeMs } from '../../sqlite/accept.ts';
import { resendSteps } from '../../sqlite/resend-steps.ts';
import { STEP_ROWS } from '../../sqlite/retention/drains.ts';
import type { Db, Handlers, StoreSettings } from '../../sqlite/transaction.ts';
import { EVENT_TEXTS, type EventCountsRow, type EventTextRow, IS_THERE, withCounts } from './events.ts';

/** What is needed to post it once more. */
interface SourceRow extends KeptFields {
  readonly id: number;
  readonly workspaceId: number;
  readonly workspaceStatus: 'active' | 'suspended';
  /** Null: a test push. */
  readonly channel: string | null;
  readonly channelStatus: 'active' | 'inactive' | null;
  readonly hadLinks: 0 | 1;
  readonly isCancelled: 0 | 1;
}

const SOURCE = `
  SELECT event.id, event.workspace_id AS workspaceId, workspace.status AS workspaceStatus, channel.slug AS channel,
    channel.status AS channelStatus, had_links AS hadLinks, cancelled_at IS NOT NULL AS isCancelled, ${SELECT_KEPT}
  FROM event JOIN workspace ON workspace.id = event.workspace_id LEFT JOIN channel ON channel.id = event.channel_id
  WHERE event.uuid = ? AND ${IS_THERE}`;

const REVIVE = 'UPDATE event SET expires_at = :expiresAtMs, cancelled_at = NULL WHERE id = :id';

/** One that is under way goes on. */
const BEGIN = `
  INSERT INTO resend (event_id, stage, at) VALUES (:id, 'tried', :wallMs)
  ON CONFLICT DO UPDATE SET stage = excluded.stage, cursor = 0, resent = 0, at = excluded.at WHERE stage = 'done'`;

type Counted = EventTextRow & EventCountsRow;

/**
 * Events that are sent anew: what failed or expired of one, under its own id; or all of it, as a new event. One row
 * decides the former, and the pushes come back into the queue in small steps: by whoever asks for the next one, else by
 * the housekeeping.
 */
export function resends(db: Db, settings: StoreSettings): Handlers<'resendEvent' | 'continueResend' | 'repostEvent'> {
  const counted = db.prepare<[number], Counted>(`${EVENT_TEXTS} WHERE event.id = ?`);
  const source = db.prepare<[Uint8Array], SourceRow>(SOURCE);
  const revive = db.prepare<{ id: number; expiresAtMs: number }>(REVIVE);
  const begin = db.prepare<{ id: number; wallMs: number }>(BEGIN);
  const progress = db.prepare<[number], { stage: string; resent: number }>(
    'SELECT stage, resent FROM resend WHERE event_id = ?',
  );
  const steps = resendSteps(db, settings);
  const { acceptEvent } = accept(db, settings);

  function sourceOf(publicId: string): SourceRow | Refusal {
    const uuid = uuidOf(publicId);
    return (uuid === null ? undefined : source.get(parse(uuid))) ?? noEvent(publicId);
  }

  function read(id: number): ReturnType<typeof withCounts> {
    const row = counted.get(id);
    if (row === undefined) throw new Error('an event that was just found is there');
    return withCounts(row);
  }

  function problemOf(publicId: string, { id, isCancelled }: SourceRow, wallMs: number): Refusal | null {
    const { deliveries, received_at } = read(id);
    if (isCancelled === 1 && deliveries.pending > 0) return stillCancelling(publicId);
    if (Date.parse(received_at) < wallMs - settings.deliveriesRetentionMs) return deliveriesForgotten(publicId);
    return deliveries.failed + deliveries.expired === 0 ? nothingToResend(publicId) : null;
  }

  function step(id: number, now: { wallMs: number; steadyMs: number }) {
    steps.ofEvent(id, STEP_ROWS, now);
    const { stage, resent } = progress.get(id) ?? { stage: 'done', resent: 0 };
    return { event: read(id), resent, done: stage === 'done' };
  }

  return {
    resendEvent({ publicId }, now): AnswerOf<'resendEvent'> {
      const found = sourceOf(publicId);
      if (isRefusal(found)) return found;
      const { id, expiresInS, hadLinks } = found;
      const isUnderWay = (progress.get(id)?.stage ?? 'done') !== 'done';
      const problem = isUnderWay ? null : problemOf(publicId, found, now.wallMs);
      if (problem !== null) return problem;
      const held: Links = read(id).deliveries.pending > 0 ? 'unknown' : 'lost';
      revive.run({ id, expiresAtMs: now.steadyMs + lifeMs(expiresInS, settings.ttlMs) });
      begin.run({ id, wallMs: now.wallMs });
      return { ...step(id, now), links: hadLinks === 1 ? held : 'none' };
    },

    continueResend({ publicId }, now) {
      const found = sourceOf(publicId);
      return isRefusal(found) ? found : step(found.id, now);
    },

    repostEvent({ publicId, uuid }, now) {
      const found = sourceOf(publicId);
      if (isRefusal(found)) return found;
      const { workspaceStatus, channel, channelStatus, hadLinks, id, isCancelled: _, ...posted } = found;
      if (channel === null) return unpostable('A test push is not posted again.', 'device test <id>');
      const { workspace } = read(id);
      const place = `${workspace} ${channel}`;
      if (workspaceStatus !== 'active')
        return unpostable(`Workspace "${workspace}" is suspended.`, `workspace activate ${workspace}`);
      if (channelStatus !== 'active')
        return unpostable(`Channel "${channel}" is inactive.`, `channel activate ${place}`);
      const fresh = { boundKeyId: null, idempotencyKey: null, linksMark: null, uuid } as const;
      const answer = acceptEvent({ ...posted, ...fresh, channel, hadLinks: hadLinks === 1 }, now);
      if (answer.kind === 'allowance_exhausted') return allowanceSpent(workspace);
      if (answer.kind !== 'accepted') throw new Error(`a channel that was just found takes no event: ${answer.kind}`);
      return { event: read(answer.eventId), links: hadLinks === 1 ? 'lost' : 'none' };
    },
  };
}
