import type { WebhookKind } from '../../../contract/webhooks.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import type { Webhook } from '../../calls/webhooks.ts';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  /** With a blank around each. */
  readonly kinds: string;
  readonly status: 'active' | 'disabled';
  readonly disabledReason: string | null;
  readonly failingSince: number | null;
  readonly lastFailure: string | null;
  readonly lastTakenAt: number | null;
  readonly dropped: number;
  readonly createdAt: number;
  readonly waiting: number;
}

export const WEBHOOK = `
  SELECT id, url, kinds, status, disabled_reason AS "disabledReason", failing_since AS "failingSince",
    last_failure AS "lastFailure", last_taken_at AS "lastTakenAt", dropped, created_at AS "createdAt",
    (SELECT count(*) FROM webhook_message WHERE webhook_id = webhook.id) AS waiting
  FROM webhook`;

export function kindsAsStored(kinds: readonly WebhookKind[]): string {
  return ` ${[...new Set(kinds)].join(' ')} `;
}

export function shownWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    kinds: row.kinds.trim().split(' ') as WebhookKind[],
    status: row.status,
    disabled_reason: row.disabledReason,
    created_at: toTimestamp(row.createdAt),
    last_taken_at: toTimestampOrNull(row.lastTakenAt),
    failing_since: toTimestampOrNull(row.failingSince),
    last_failure: row.lastFailure,
    waiting: row.waiting,
    dropped: row.dropped,
  };
}
