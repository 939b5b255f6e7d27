/** Webhooks: addresses for messages about a workspace. */
import type { ApiSchema, BodyOf } from '../../contract/api-types.ts';
import type { StoredMessage } from '../../contract/webhooks.ts';
import { call, change, type Topic } from '../call.ts';
import type { Refusal } from '../refusal.ts';

const MANAGED: readonly Topic[] = ['webhooks', 'cleanup'];

export const WEBHOOK_CALLS = {
  /** `secret`: signs messages. Never returned. */
  createWebhook: call<BodyOf<'createWebhook'> & { workspace: string; secret: string }, Webhook | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace }, { id, url }) => change('webhook.add', workspace, `${id} to ${hostOf(url)}`),
  }),
  listWebhooks: call<{ workspace: string }, readonly Webhook[] | Refusal>({ reads: true }),
  showWebhook: call<{ workspace: string; id: string }, Webhook | Refusal>({ reads: true }),
  /** Absent fields stay. `status`: `disabled` stops messages and drops waiting ones; `active` resumes from now on. */
  updateWebhook: call<WebhookChange, Webhook | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace }, { id, url, status }) =>
      change('webhook.change', workspace, `${id} to ${hostOf(url)}, ${status}`),
  }),
  /** The old secret also signs for `graceMs`. */
  rotateWebhook: call<{ workspace: string; id: string; secret: string; graceMs: number }, Webhook | Refusal>({
    audit: ({ workspace }, { id }) => change('webhook.rotate', workspace, id),
  }),
  /** Queues a `webhook.test` message, regardless of kinds. */
  testWebhook: call<{ workspace: string; id: string }, Webhook | Refusal>({
    invalidates: MANAGED,
    audit: ({ workspace }, { id }) => change('webhook.test', workspace, id),
  }),
  /** Returns the deleted webhook. Waiting messages are deleted too. */
  deleteWebhook: call<{ workspace: string; id: string }, Webhook | Refusal>({
    audit: ({ workspace }, { id }) => change('webhook.remove', workspace, id),
  }),
  /** Returns the ms until messages are due; null: no webhook. */
  nextWebhookMessage: call<Record<string, never>, { inMs: number | null }>({ reads: true, internal: true }),
  /**
   * Takes each free endpoint's next message, least recently served first. Endpoints are busy until settled or their
   * lease ends, so no two servers send to one.
   */
  takeWebhookMessages: call<{ limit: number }, readonly WebhookMessage[]>({ internal: true }),
  /** `disabled`: the endpoint, if this ended it. Expired leases change nothing. */
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
type WebhookChange = BodyOf<'updateWebhook'> & { readonly workspace: string; readonly id: string };

export interface WebhookMessage extends StoredMessage {
  readonly messageId: number;
  readonly webhookId: string;
  readonly lease: number;
  /** `webhook-id`. */
  readonly id: string;
  readonly url: string;
  /** Newest first. */
  readonly secrets: readonly string[];
}

export type WebhookOutcome =
  | { readonly kind: 'taken' }
  /** 410: wants nothing more. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The path may hold a secret. */
function hostOf(url: string): string {
  return new URL(url).host;
}
