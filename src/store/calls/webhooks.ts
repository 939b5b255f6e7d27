/** Calls about webhooks: addresses that get messages about a workspace. */
import type { ApiSchema, BodyOf } from '../../contract/api-types.ts';
import type { StoredMessage } from '../../contract/webhooks.ts';
import { call, change, type Topic } from '../call.ts';
import type { Refusal } from '../refusal.ts';

const MANAGED: readonly Topic[] = ['webhooks', 'cleanup'];

export const WEBHOOK_CALLS = {
  /** `secret`: by which its messages are signed. It never comes back. */
  createWebhook: call<BodyOf<'createWebhook'> & { workspace: string; secret: string }, Webhook | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace }, { id, url }) => change('webhook.add', workspace, `${id} to ${hostOf(url)}`),
  }),
  listWebhooks: call<{ workspace: string }, readonly Webhook[] | Refusal>({ reads: true }),
  showWebhook: call<{ workspace: string; id: string }, Webhook | Refusal>({ reads: true }),
  /**
   * Changes a webhook. Absent fields stay. `status`: `disabled` stops its messages and drops waiting ones; `active`
   * starts them again from now on.
   */
  updateWebhook: call<WebhookChange, Webhook | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace }, { id, url, status }) =>
      change('webhook.change', workspace, `${id} to ${hostOf(url)}, ${status}`),
  }),
  /** The old secret signs as well for `graceMs`. */
  rotateWebhook: call<{ workspace: string; id: string; secret: string; graceMs: number }, Webhook | Refusal>({
    audit: ({ workspace }, { id }) => change('webhook.rotate', workspace, id),
  }),
  /** Queues a message of the kind `webhook.test`, whatever its kinds are. */
  testWebhook: call<{ workspace: string; id: string }, Webhook | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace }, { id }) => change('webhook.test', workspace, id),
  }),
  /** Answers what it was. What waits for it is gone with it. */
  deleteWebhook: call<{ workspace: string; id: string }, Webhook | Refusal>({
    audit: ({ workspace }, { id }) => change('webhook.remove', workspace, id),
  }),
  /** In how many ms to take messages; null: there is no webhook. */
  nextWebhookMessage: call<Record<string, never>, { inMs: number | null }>({ reads: true, internal: true }),
  /**
   * The next message of each endpoint that is not busy, the one served longest ago first. An endpoint is busy until its
   * message is settled, or its lease is over, so that no two servers send to it at once.
   */
  takeWebhookMessages: call<{ limit: number }, readonly WebhookMessage[]>({ internal: true }),
  /** `disabled`: the endpoint, where that was the end of it. One whose lease was over changes nothing. */
  settleWebhookMessage: call<
    { webhookId: string; messageId: number; lease: number; outcome: WebhookOutcome },
    { disabled: { readonly id: string; readonly workspaceId: number; readonly reason: string } | null }
  >({
    internal: true,
    isFollowUp: true,
    changes: ({ disabled }) => ({ noun: 'webhook', workspaces: disabled === null ? [] : [disabled.workspaceId] }),
  }),
};

export type Webhook = ApiSchema<'Webhook'>;
export type WebhookChange = BodyOf<'updateWebhook'> & { readonly workspace: string; readonly id: string };

export interface WebhookMessage extends StoredMessage {
  readonly messageId: number;
  readonly webhookId: string;
  readonly lease: number;
  /** `webhook-id`. */
  readonly id: string;
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
}

export type WebhookOutcome =
  | { readonly kind: 'taken' }
  /** It wants nothing any more: 410. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly reason: string };

/** An address may hold a secret in its path. */
function hostOf(url: string): string {
  return new URL(url).host;
}
