import type { Sql } from '../../sql.ts';
import type { StoredWebhooks, TroubledWebhook } from '../../stored-status.ts';

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
