import { DISABLED_AFTER_MS, LONGEST_GAP_MS, nextTryInMs, restMs } from '../../../contract/webhooks.ts';
import type { Moment } from '../../../process/clock.ts';
import type { WebhookMessage, WebhookOutcome } from '../../calls/webhooks.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps, SomeHandlers } from '../handler.ts';
import { FORGET_MESSAGES, surplus, type Waiting } from './forgetting.ts';
import { waitsFor } from './rows.ts';
import { LEASE_MS } from './waits.ts';

/** Nothing else says that a message came. */
const LOOK_EVERY_MS = 1_000;
const isOver = (at: string) => `${at} <= CAST(:steadyMs AS BIGINT)`;

/**
 * Endpoints with a due message that may be asked now. PostgreSQL would read all messages for EXISTS, but looks endpoint
 * by endpoint for a scalar subquery.
 */
const READY = `
  FROM webhook JOIN workspace ON workspace.id = webhook.workspace_id
  WHERE webhook.status = 'active' AND workspace.status = 'active' AND ${isOver('rests_until')} AND ${isOver('busy_until')}
    AND coalesce((
      SELECT 1 FROM webhook_message
      WHERE webhook_message.webhook_id = webhook.id AND webhook_message.id > webhook.forgotten AND ${isOver('due_at')}
      ORDER BY webhook_message.due_at LIMIT 1
    ), 0) = 1`;

const ENDPOINTS = `
  SELECT webhook.id, url, secret, old_secret AS "oldSecret", old_secret_ends_at AS "oldSecretEndsAt", workspace.slug AS workspace,
    webhook.forgotten
  ${READY} ORDER BY served_at, webhook.id LIMIT CAST(:limit AS BIGINT)`;

/** Selects the next message, in order per subject. */
const HEAD = `
  SELECT id, message, kind, data, at FROM webhook_message
  WHERE ${waitsFor('CAST(:id AS TEXT)', 'CAST(:forgotten AS BIGINT)')} AND ${isOver('due_at')} AND coalesce((
    SELECT 1 FROM webhook_message AS earlier
    WHERE (earlier.webhook_id, earlier.subject, earlier.id) > (CAST(:id AS TEXT), webhook_message.subject, CAST(:forgotten AS BIGINT))
      AND (earlier.webhook_id, earlier.subject, earlier.id) < (CAST(:id AS TEXT), webhook_message.subject, webhook_message.id)
    ORDER BY earlier.webhook_id, earlier.subject, earlier.id LIMIT 1
  ), 0) = 0 ORDER BY webhook_id, id LIMIT 1`;

/**
 * Resets the failures if nothing is left to send. Otherwise one failure, days later, would count as the end of three
 * days of failures.
 */
const AFRESH = `
  UPDATE webhook SET failures = 0, failing_since = NULL, failing_ms = 0
  WHERE id = :id AND coalesce((
    SELECT 1 FROM webhook_message WHERE ${waitsFor('webhook.id', 'webhook.forgotten')} ORDER BY webhook_id, webhook_message.id LIMIT 1
  ), 0) = 0`;
const LEASE = 'UPDATE webhook SET busy_until = :lease, busy_node = :node, served_at = :steadyMs WHERE id = :id';

/** Audits a webhook disabled by the server. */
const RECORD = `
  INSERT INTO audit (at, actor_kind, actor, action, workspace, object)
  SELECT :wallMs, 'operator', 'pushctl', 'webhook.disable', slug, :object FROM workspace WHERE id = :workspaceId`;

interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretEndsAt: number | null;
  readonly workspace: string;
  readonly forgotten: number;
}
interface Head {
  readonly id: number;
  readonly message: string;
  readonly kind: string;
  readonly data: string;
  readonly at: number;
}
interface Leased {
  readonly workspaceId: number;
  readonly failures: number;
  readonly failingMs: number;
  readonly restsUntil: number;
}

/** Hands messages to the first asking server. A lease of a node ends with that of the node itself. */
export function outbox(sql: Sql, nodeOf: EngineDeps['nodeOf']) {
  const isAny = sql.value<object, 1>("SELECT 1 FROM webhook WHERE status = 'active' LIMIT 1");
  const isReady = sql.value<{ steadyMs: number }, 1>(`SELECT 1 ${READY} LIMIT 1`);
  const endpoints = sql.all<{ steadyMs: number; limit: number }, Endpoint>(ENDPOINTS);
  const head = sql.get<{ id: string; forgotten: number; steadyMs: number }, Head>(HEAD);
  const dropSurplus = surplus(sql);
  const count = sql.run<{ id: string; dropped: number }>(
    'UPDATE webhook SET dropped = dropped + :dropped WHERE id = :id',
  );
  const beginAnew = sql.run<{ id: string }>(AFRESH);
  const lease = sql.run<{ id: string; lease: number; node: number; steadyMs: number }>(LEASE);
  const leased = sql.get<{ id: string; lease: number; node: number }, Leased>(`
    SELECT workspace_id AS "workspaceId", failures, failing_ms AS "failingMs", rests_until AS "restsUntil" FROM webhook
    WHERE id = :id AND busy_until = :lease AND busy_node = :node`);
  const attemptsOf = sql.value<{ id: number; webhookId: string }, number>(
    'SELECT attempts + 1 FROM webhook_message WHERE id = :id AND webhook_id = :webhookId',
  );
  const taken = sql.run<{ id: string; wallMs: number }>(`
    UPDATE webhook SET busy_until = 0, rests_until = 0, failures = 0, failing_since = NULL, failing_ms = 0,
      last_taken_at = :wallMs WHERE id = :id`);
  const failed = sql.run<{ id: string; wallMs: number; reason: string } & Omit<Leased, 'workspaceId'>>(`
    UPDATE webhook SET busy_until = 0, rests_until = :restsUntil, failures = :failures, last_failure = :reason,
      failing_ms = :failingMs, failing_since = coalesce(failing_since, :wallMs) WHERE id = :id`);
  const disable = sql.run<{ id: string; reason: string }>(
    "UPDATE webhook SET busy_until = 0, status = 'disabled', disabled_reason = :reason WHERE id = :id",
  );
  const postpone = sql.run<{ id: number; attempts: number; dueAtMs: number }>(
    'UPDATE webhook_message SET attempts = :attempts, due_at = :dueAtMs WHERE id = :id',
  );
  const remove = sql.run<{ id: number }>('DELETE FROM webhook_message WHERE id = :id');
  const record = sql.run<{ workspaceId: number; object: string; wallMs: number }>(RECORD);
  const removeAll = sql.run<{ id: string }>(FORGET_MESSAGES);

  async function prune(waiting: Waiting, now: Moment): Promise<void> {
    const dropped = await dropSurplus(waiting, now);
    if (dropped > 0) await giveUp(waiting.id, dropped);
  }

  async function giveUp(id: string, dropped: number): Promise<void> {
    await count({ id, dropped });
    await beginAnew({ id });
  }

  async function end(id: string, reason: string, workspaceId: number, wallMs: number): Promise<void> {
    await disable({ id, reason });
    await removeAll({ id });
    await record({ workspaceId, object: `${id}: ${reason}`, wallMs });
  }

  /** Returns why a failure disables the endpoint; null: not. */
  async function fail(
    id: string,
    messageId: number,
    reason: string,
    before: Leased,
    { wallMs, steadyMs }: Moment,
  ): Promise<string | null> {
    const failingMs = before.failingMs + gapMs(before, steadyMs);
    if (failingMs >= DISABLED_AFTER_MS) {
      await end(id, 'failing', before.workspaceId, wallMs);
      return 'failing';
    }
    const failures = before.failures + 1;
    await failed({ id, wallMs, failures, failingMs, restsUntil: steadyMs + restMs(failures), reason });
    const attempts = await attemptsOf({ id: messageId, webhookId: id });
    if (attempts === undefined) return null;
    const inMs = nextTryInMs(attempts);
    if (inMs !== null) await postpone({ id: messageId, attempts, dueAtMs: steadyMs + inMs });
    else {
      await remove({ id: messageId });
      await giveUp(id, 1);
    }
    return null;
  }

  async function settle(
    { id, messageId, outcome }: { id: string; messageId: number; outcome: WebhookOutcome },
    leasedMessage: Leased,
    now: Moment,
  ): Promise<string | null> {
    switch (outcome.kind) {
      case 'taken':
        await taken({ id, wallMs: now.wallMs });
        await remove({ id: messageId });
        return null;
      case 'gone':
        await end(id, 'gone', leasedMessage.workspaceId, now.wallMs);
        return 'gone';
      case 'failed':
        return fail(id, messageId, outcome.reason, leasedMessage, now);
    }
  }

  return {
    async nextWebhookMessage(_, { steadyMs }) {
      if ((await isAny({})) === undefined) return { inMs: null };
      return { inMs: (await isReady({ steadyMs })) === undefined ? LOOK_EVERY_MS : 0 };
    },

    async takeWebhookMessages({ limit }, { wallMs, steadyMs }) {
      const messages: WebhookMessage[] = [];
      for (const endpoint of await endpoints({ steadyMs, limit })) {
        const { id: webhookId, url, workspace } = endpoint;
        await prune(endpoint, { wallMs, steadyMs });
        const nextMessage = await head({ ...endpoint, steadyMs });
        if (nextMessage === undefined) continue;
        const until = steadyMs + LEASE_MS;
        await lease({ id: webhookId, lease: until, node: nodeOf(), steadyMs });
        const { id: messageId, message, kind, data, at } = nextMessage;
        const secrets = secretsOf(endpoint, wallMs);
        messages.push({
          messageId,
          webhookId,
          lease: until,
          id: `msg_${message}`,
          url,
          secrets,
          kind,
          at,
          workspace,
          data,
        });
      }
      return messages;
    },

    async settleWebhookMessage({ webhookId: id, messageId, lease: until, outcome }, now) {
      const leasedMessage = await leased({ id, lease: until, node: nodeOf() });
      if (leasedMessage === undefined) return { disabled: null };
      const reason = await settle({ id, messageId, outcome }, leasedMessage, now);
      return { disabled: reason === null ? null : { id, workspaceId: leasedMessage.workspaceId, reason } };
    },
  } satisfies SomeHandlers;
}

/** Returns the time since the last failure that counts. 0: it was the first. */
function gapMs({ failures, restsUntil }: Leased, steadyMs: number): number {
  if (failures === 0) return 0;
  return Math.min(Math.max(steadyMs - (restsUntil - restMs(failures)), 0), LONGEST_GAP_MS);
}

function secretsOf({ secret, oldSecret, oldSecretEndsAt }: Endpoint, wallMs: number): readonly string[] {
  const isOldGood = oldSecret !== null && oldSecretEndsAt !== null && wallMs < oldSecretEndsAt;
  return isOldGood ? [secret, oldSecret] : [secret];
}
