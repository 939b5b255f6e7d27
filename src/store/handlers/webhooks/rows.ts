import type { WebhookKind } from '../../../contract/webhooks.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import type { Webhook } from '../../calls/webhooks.ts';
import type { Sql } from '../../sql.ts';
import type { StoredWebhooks, TroubledWebhook } from '../../stored-status.ts';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  /** Between blanks. */
  readonly kinds: string;
  readonly status: 'active' | 'disabled';
  readonly disabledReason: Webhook['disabled_reason'];
  readonly failingSince: number | null;
  readonly lastFailure: string | null;
  readonly lastTakenAt: number | null;
  readonly dropped: number;
  readonly createdAt: number;
  readonly waiting: number;
}

/** Counts per webhook stop here. */
const MOST_SHOWN = 500;

/** SQL: a webhook's unforgotten messages. Comparing both columns makes PostgreSQL use the index by age. */
export function waitsFor(id: string, forgotten: string): string {
  const place = '(webhook_message.webhook_id, webhook_message.id)';
  return `${place} > (${id}, ${forgotten}) AND ${place} <= (${id}, ${Number.MAX_SAFE_INTEGER})`;
}

/** Join nothing; a condition follows with AND. */
export const WEBHOOK = `
  SELECT id, url, kinds, status, disabled_reason AS "disabledReason", failing_since AS "failingSince",
    last_failure AS "lastFailure", last_taken_at AS "lastTakenAt", dropped, created_at AS "createdAt",
    (SELECT count(*) FROM (
      SELECT 1 FROM webhook_message WHERE ${waitsFor('webhook.id', 'webhook.forgotten')} ORDER BY webhook_id, id LIMIT ${MOST_SHOWN}
    ) AS pending) AS waiting
  FROM webhook WHERE webhook.status <> 'deleted'`;

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

const COUNTS = `
  SELECT coalesce(sum(CASE webhook.status WHEN 'active' THEN 1 ELSE 0 END), 0) AS active,
    coalesce(sum(CASE webhook.status WHEN 'disabled' THEN 1 ELSE 0 END), 0) AS disabled
  FROM webhook JOIN workspace ON workspace.id = webhook.workspace_id`;

/** Excludes those disabled by managers. */
const TROUBLED = `
  SELECT webhook.id, workspace.slug AS workspace, CASE webhook.status WHEN 'disabled' THEN 1 ELSE 0 END AS "isDisabled",
    coalesce(disabled_reason, last_failure) AS reason, failing_since AS "failingSinceMs"
  FROM webhook JOIN workspace ON workspace.id = webhook.workspace_id
  WHERE webhook.status = 'disabled' AND disabled_reason IS NOT NULL OR webhook.status = 'active' AND failing_since IS NOT NULL
  ORDER BY failing_since, webhook.id LIMIT 5`;

type Troubled = Omit<TroubledWebhook, 'isDisabled'> & { readonly isDisabled: 0 | 1 };

export async function storedWebhooks(sql: Sql): Promise<StoredWebhooks> {
  const counts = await sql.get<object, { active: number; disabled: number }>(COUNTS)({});
  const { active = 0, disabled = 0 } = counts ?? {};
  if (active + disabled === 0) return { active, disabled, waiting: 0, troubled: [] };
  const waiting =
    (await sql.value<object, number>(
      `SELECT count(*) FROM webhook_message JOIN webhook ON webhook.id = webhook_id
        JOIN workspace ON workspace.id = webhook.workspace_id WHERE webhook_message.id > forgotten`,
    )({})) ?? 0;
  const troubled = (await sql.all<object, Troubled>(TROUBLED)({})).map((webhook) => ({
    ...webhook,
    isDisabled: webhook.isDisabled === 1,
  }));
  return { active, disabled, waiting, troubled };
}
