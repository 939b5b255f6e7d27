import {
  ANY_BODY,
  ANY_CONFIRMED_CHANGE,
  ANY_MANAGED_CHANGE,
  ANY_MANAGER,
  managers,
  NO_FILTERS,
  type Operation,
} from './operation.ts';

/** Addresses that hear of what happens in a workspace, for its owners and admins. */
export const WEBHOOKS = [
  {
    ...managers('get', '/v1/workspaces/{workspace}/webhooks'),
    operationId: 'listWebhooks',
    forwards: { call: 'listWebhooks', as: 'webhooks' },
    uncompressed: true,
    summary: 'List the webhooks of a workspace',
    query: NO_FILTERS,
    answers: { 200: { is: 'All of them.', schema: 'webhook-list' } },
    errors: [...ANY_MANAGER, 'invalid_fields'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/webhooks'),
    operationId: 'createWebhook',
    summary: 'Add a webhook',
    description:
      'From then on its address gets a message (`webhook-message`) of each kind that it hears of, as a POST signed by Standard Webhooks: at least once, and in order for an alert or a heartbeat. A workspace has five at most; one more is a conflict.',
    body: 'webhook-request',
    answers: { 201: { is: 'The webhook, and its secret, which is shown once.', schema: 'webhook-issued' } },
    errors: [...ANY_CONFIRMED_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...managers('patch', '/v1/workspaces/{workspace}/webhooks/{webhook}'),
    operationId: 'updateWebhook',
    forwards: { call: 'updateWebhook', as: 'webhook' },
    summary: 'Change, disable or enable a webhook',
    description: 'What waits goes to the new address.',
    body: 'webhook-change',
    answers: { 200: { is: 'The webhook as it is now.', schema: 'webhook-answer' } },
    errors: [...ANY_CONFIRMED_CHANGE, ...ANY_BODY, 'webhook_not_found'],
  },
  {
    ...managers('delete', '/v1/workspaces/{workspace}/webhooks/{webhook}'),
    operationId: 'deleteWebhook',
    forwards: { call: 'deleteWebhook' },
    summary: 'Remove a webhook',
    description: 'What it has not heard yet, it never will.',
    answers: { 204: { is: 'It is gone.' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'webhook_not_found'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/webhooks/{webhook}/rotate'),
    operationId: 'rotateWebhook',
    summary: 'Give a webhook another secret',
    description: 'For another 24 hours its messages are signed by the old one as well.',
    answers: { 201: { is: 'The new secret, which is shown once.', schema: 'webhook-issued' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'webhook_not_found'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/webhooks/{webhook}/test'),
    operationId: 'testWebhook',
    forwards: { call: 'testWebhook', as: 'webhook' },
    summary: 'Send a test message',
    description: 'Of the kind `webhook.test`. What became of it is in the list. One that is disabled is a conflict.',
    answers: { 202: { is: 'It is on its way.', schema: 'webhook-answer' } },
    errors: [...ANY_MANAGED_CHANGE, 'webhook_not_found', 'conflict'],
  },
] as const satisfies readonly Operation[];
