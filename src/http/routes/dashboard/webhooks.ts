import { randomBytes } from 'node:crypto';
import { fieldProblem } from '../../../contract/names.ts';
import { webhookPlaceProblem } from '../../../contract/webhook-addresses.ts';
import { newWebhookSecret, webhookUrlProblem } from '../../../contract/webhooks.ts';
import { bodyReader } from '../../body/body-fields.ts';
import { queryReader } from '../../query.ts';
import type { Context, Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

/** How long a secret that was rotated still signs. */
const GRACE_MS = 86_400_000;

export function webhookRoutes({ manage, config }: Service) {
  const checkQuery = queryReader('listWebhooks');
  const readNew = bodyReader('createWebhook', (asked) => placeProblems(asked, config));
  const readChange = bodyReader('updateWebhook', (asked) => placeProblems(asked, config));
  return {
    async listWebhooks(context) {
      const { store, workspace } = await manage(context);
      checkQuery(context);
      const webhooks = unwrap(await store.listWebhooks({ workspace }), 'workspace_not_found');
      return { status: 200, body: { webhooks, next: null } };
    },

    async createWebhook(context) {
      const { store, workspace } = await manage(context);
      const secret = newWebhookSecret(randomBytes);
      const made = await store.createWebhook({ ...(await readNew(context)), workspace, secret });
      return { status: 201, body: { secret, webhook: unwrap(made, 'workspace_not_found') } };
    },

    async updateWebhook(context) {
      const { store } = await manage(context);
      const changed = await store.updateWebhook({ ...(await readChange(context)), ...namedIn(context) });
      return { status: 200, body: { webhook: unwrap(changed, 'webhook_not_found') } };
    },

    async deleteWebhook(context) {
      const { store } = await manage(context);
      unwrap(await store.deleteWebhook(namedIn(context)), 'webhook_not_found');
      return { status: 204 };
    },

    async rotateWebhook(context) {
      const { store } = await manage(context);
      const secret = newWebhookSecret(randomBytes);
      const rotated = await store.rotateWebhook({ ...namedIn(context), secret, graceMs: GRACE_MS });
      return { status: 201, body: { secret, webhook: unwrap(rotated, 'webhook_not_found') } };
    },

    async testWebhook(context) {
      const { store } = await manage(context);
      const tested = await store.testWebhook(namedIn(context));
      return { status: 202, body: { webhook: unwrap(tested, 'webhook_not_found') } };
    },
  } satisfies Routes;
}

function namedIn({ params }: Context): { readonly workspace: string; readonly id: string } {
  return { workspace: params.workspace, id: params.webhook };
}

/** Of names it is known only once they are connected to. */
function placeProblems({ url }: { readonly url?: string }, { webhooks }: Service['config']) {
  if (url === undefined) return [];
  const form = webhookUrlProblem(url);
  const problem = form ?? (webhooks.allowPrivate ? null : webhookPlaceProblem(url));
  return problem === null ? [] : [fieldProblem('url', `The url field ${problem}.`)].filter((one) => one !== null);
}
