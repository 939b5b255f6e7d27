import {
  ANY_BODY,
  ANY_CONFIRMED_CHANGE,
  ANY_MANAGED_CHANGE,
  ANY_MANAGER,
  managers,
  NO_FILTERS,
  type Operation,
} from './operation.ts';

/** Operations on webhooks, for owners and admins of a workspace. */
export const WEBHOOKS = [
  {
    ...managers('get', '/v1/workspaces/{workspace}/webhooks'),
    operationId: 'listWebhooks',
    forwards: { call: 'listWebhooks', as: 'webhooks' },
    uncompressed: true,
    summary: 'List the webhooks of a workspace',
    query: NO_FILTERS,
    answers: { 200: { is: 'All webhooks.', schema: 'webhook-list' } },
    errors: [...ANY_MANAGER, 'invalid_fields'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/webhooks'),
    operationId: 'createWebhook',
    forwards: { call: 'createWebhook', as: 'webhook', issues: 'webhook_secret' },
    summary: 'Add a webhook',
    description:
      'The address gets messages (`webhook-message`) of the chosen kinds, as a POST signed by Standard Webhooks. Each message comes at least once, and in order for an alert or a heartbeat. A workspace has at most five webhooks; for another one the response is 409.',
    body: 'webhook-request',
    answers: { 201: { is: 'The webhook, and its secret, which is shown once.', schema: 'webhook-issued' } },
    errors: [...ANY_CONFIRMED_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...managers('patch', '/v1/workspaces/{workspace}/webhooks/{webhook}'),
    operationId: 'updateWebhook',
    forwards: { call: 'updateWebhook', as: 'webhook' },
    summary: 'Change, disable or enable a webhook',
    description: 'Waiting messages go to the new address.',
    body: 'webhook-change',
    answers: { 200: { is: 'The updated webhook.', schema: 'webhook-answer' } },
    errors: [...ANY_CONFIRMED_CHANGE, ...ANY_BODY, 'webhook_not_found'],
  },
  {
    ...managers('delete', '/v1/workspaces/{workspace}/webhooks/{webhook}'),
    operationId: 'deleteWebhook',
    forwards: { call: 'deleteWebhook' },
    summary: 'Remove a webhook',
    description: 'Waiting messages are discarded.',
    answers: { 204: { is: 'Removed.' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'webhook_not_found'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/webhooks/{webhook}/rotate'),
    operationId: 'rotateWebhook',
    forwards: { call: 'rotateWebhook', as: 'webhook', issues: 'next_webhook_secret' },
    summary: 'Give a webhook another secret',
    description: 'For another 24 hours, messages are also signed with the old secret.',
    answers: { 201: { is: 'The new secret, which is shown once.', schema: 'webhook-issued' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'webhook_not_found'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/webhooks/{webhook}/test'),
    operationId: 'testWebhook',
    forwards: { call: 'testWebhook', as: 'webhook' },
    summary: 'Send a test message',
    description:
      'The message has the kind `webhook.test`. The list of webhooks shows its result. If the webhook is disabled, the response is 409.',
    answers: { 202: { is: 'The message is queued.', schema: 'webhook-answer' } },
    errors: [...ANY_MANAGED_CHANGE, 'webhook_not_found', 'conflict'],
  },
] as const satisfies readonly Operation[];
