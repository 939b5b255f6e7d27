import { randomBytes } from 'node:crypto';
import { newWebhookSecret } from '../../../contract/webhooks.ts';
import { bodyReader } from '../../body/body-fields.ts';
import type { Context, Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';
import { webhookProblems } from '../../webhook-rules.ts';

/** How long a secret that was rotated still signs. */
const GRACE_MS = 86_400_000;

export function webhookRoutes({ manage, config }: Service) {
  const readNew = bodyReader('createWebhook', (asked) => webhookProblems(asked, config));
  return {
    async createWebhook(context) {
      const { store, workspace } = await manage(context);
      const secret = newWebhookSecret(randomBytes);
      const made = await store.createWebhook({ ...(await readNew(context)), workspace, secret });
      return { status: 201, body: { secret, webhook: unwrap(made, 'workspace_not_found') } };
    },

    async rotateWebhook(context) {
      const { store } = await manage(context);
      const secret = newWebhookSecret(randomBytes);
      const rotated = await store.rotateWebhook({ ...namedIn(context), secret, graceMs: GRACE_MS });
      return { status: 201, body: { secret, webhook: unwrap(rotated, 'webhook_not_found') } };
    },
  } satisfies Routes;
}

function namedIn({ params }: Context): { readonly workspace: string; readonly id: string } {
  return { workspace: params.workspace, id: params.webhook };
}
