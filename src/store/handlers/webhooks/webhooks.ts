import { randomUUID } from 'node:crypto';
import { fieldProblem } from '../../../contract/details.ts';
import { newWebhookId } from '../../../contract/public-id.ts';
import {
  DEFAULT_KINDS,
  MOST_WEBHOOKS,
  TEST_KIND,
  WEBHOOK_KINDS,
  type WebhookKind,
  webhookUrlProblem,
} from '../../../contract/webhooks.ts';
import { isRefusal, type Refusal } from '../../calls.ts';
import { disabledWebhook, invalidField, noWebhook, tooManyWebhooks } from '../../refusals.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { FORGET_MESSAGES } from './forgetting.ts';
import { kindsAsStored, shownWebhook, WEBHOOK, type WebhookRow } from './rows.ts';

const INSERT = `
  INSERT INTO webhook (id, workspace_id, url, kinds, secret, created_at)
  VALUES (:id, :workspaceId, :url, :kinds, :secret, :wallMs)`;

const IS_SAME = 'status = :status AND url = :url';
/** Changes a webhook and resets failures. The time of failures stays with status and address. */
const CHANGE = `
  UPDATE webhook SET url = :url, kinds = :kinds, status = :status,
    disabled_reason = CASE status WHEN :status THEN disabled_reason END, failures = 0, rests_until = 0,
    failing_since = CASE WHEN ${IS_SAME} THEN failing_since END, failing_ms = CASE WHEN ${IS_SAME} THEN failing_ms ELSE 0 END
  WHERE id = :id`;

const ROTATE = `
  UPDATE webhook SET old_secret = secret, old_secret_ends_at = CAST(:endsAtMs AS BIGINT), secret = :secret WHERE id = :id`;

const TEST = `
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  VALUES (:id, :workspaceId, :message, '${TEST_KIND}', '', '{}', :wallMs)`;

export function webhooks(sql: Sql) {
  const insert = sql.run<object>(INSERT);
  const byId = sql.get<{ workspaceId: number; id: string }, WebhookRow>(
    `${WEBHOOK} AND workspace_id = :workspaceId AND id = :id`,
  );
  const ofWorkspace = sql.all<{ workspaceId: number }, WebhookRow>(
    `${WEBHOOK} AND workspace_id = :workspaceId ORDER BY created_at, id`,
  );
  const change = sql.run<object>(CHANGE);
  const rotate = sql.run<{ id: string; secret: string; endsAtMs: number }>(ROTATE);
  const test = sql.run<object>(TEST);
  const forgetMessages = sql.run<{ id: string }>(FORGET_MESSAGES);
  const remove = sql.run<{ id: string }>("UPDATE webhook SET status = 'deleted' WHERE id = :id");
  const find = lookups(sql);

  async function findWebhook({ workspace: slug, id }: { workspace: string; id: string }) {
    const workspace = await find.workspace(slug);
    if (isRefusal(workspace)) return workspace;
    return findInWorkspace(workspace, id);
  }

  async function findInWorkspace(
    workspace: WorkspaceRow,
    id: string,
  ): Promise<{ workspace: WorkspaceRow; row: WebhookRow } | Refusal> {
    const row = await byId({ workspaceId: workspace.id, id });
    return row === undefined ? noWebhook(id, workspace) : { workspace, row };
  }

  async function showAgain(workspace: WorkspaceRow, id: string) {
    const foundWebhook = await findInWorkspace(workspace, id);
    return isRefusal(foundWebhook) ? foundWebhook : shownWebhook(foundWebhook.row);
  }

  return {
    createWebhook: find.withWorkspace(async (workspace, { url, kinds = DEFAULT_KINDS, secret }, { wallMs }) => {
      const problem = termsProblem(url, kinds);
      if (problem !== null) return invalidField(problem);
      const { id: workspaceId } = workspace;
      if ((await ofWorkspace({ workspaceId })).length >= MOST_WEBHOOKS)
        return tooManyWebhooks(workspace.slug, MOST_WEBHOOKS);
      const id = newWebhookId(wallMs);
      await insert({ id, workspaceId, url: new URL(url).href, kinds: kindsAsStored(kinds), secret, wallMs });
      return showAgain(workspace, id);
    }),

    listWebhooks: find.withWorkspace(async (workspace) =>
      (await ofWorkspace({ workspaceId: workspace.id })).map(shownWebhook),
    ),

    async showWebhook(named) {
      const foundWebhook = await findWebhook(named);
      return isRefusal(foundWebhook) ? foundWebhook : shownWebhook(foundWebhook.row);
    },

    async updateWebhook({ url, kinds, status, ...named }) {
      const foundWebhook = await findWebhook(named);
      if (isRefusal(foundWebhook)) return foundWebhook;
      const { workspace, row } = foundWebhook;
      const problem = termsProblem(url ?? row.url, kinds ?? DEFAULT_KINDS);
      if (problem !== null) return invalidField(problem);
      const now = {
        id: row.id,
        url: url === undefined ? row.url : new URL(url).href,
        kinds: kinds === undefined ? row.kinds : kindsAsStored(kinds),
        status: status ?? row.status,
      };
      await change(now);
      if (now.status === 'disabled') await forgetMessages(row);
      return showAgain(workspace, row.id);
    },

    async rotateWebhook({ secret, graceMs, ...named }, { wallMs }) {
      const foundWebhook = await findWebhook(named);
      if (isRefusal(foundWebhook)) return foundWebhook;
      await rotate({ id: foundWebhook.row.id, secret, endsAtMs: wallMs + graceMs });
      return showAgain(foundWebhook.workspace, foundWebhook.row.id);
    },

    async testWebhook(named, { wallMs }) {
      const foundWebhook = await findWebhook(named);
      if (isRefusal(foundWebhook)) return foundWebhook;
      const { workspace, row } = foundWebhook;
      if (row.status === 'disabled') return disabledWebhook(row.id, workspace);
      const message = randomUUID().replaceAll('-', '');
      await test({ id: row.id, workspaceId: workspace.id, message, wallMs });
      return showAgain(workspace, row.id);
    },

    async deleteWebhook(named) {
      const foundWebhook = await findWebhook(named);
      if (isRefusal(foundWebhook)) return foundWebhook;
      await forgetMessages(foundWebhook.row);
      await remove(foundWebhook.row);
      return shownWebhook(foundWebhook.row);
    },
  } satisfies SomeHandlers;
}

function termsProblem(url: string, kinds: readonly WebhookKind[]) {
  const problem = webhookUrlProblem(url);
  if (problem !== null) return problem;
  const isKnown = Array.isArray(kinds) && kinds.every((kind) => WEBHOOK_KINDS.includes(kind));
  if (isKnown && kinds.length > 0) return null;
  return fieldProblem('kinds', 'some_of', { values: WEBHOOK_KINDS });
}
