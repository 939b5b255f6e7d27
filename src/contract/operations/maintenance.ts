import {
  ANY_BODY,
  ANY_KEY,
  ANY_MANAGED_CHANGE,
  ANY_REQUEST,
  ANY_SESSION,
  managers,
  NO_FILTERS,
  type Operation,
  signedIn,
} from './operation.ts';

const WHAT_IT_DOES =
  'Events of the channel are sent without a sound, and alerts open silently: their reminders, widening and escalation wait. When the window ends, one loud push says which alerts are still open, and their times start again. An event with `expires_in` may expire unheard.';

/** Members see windows, owners and admins manage them, API keys their own. */
export const MAINTENANCE = [
  {
    ...signedIn('get', '/v1/workspaces/{workspace}/channels/{channel}/maintenance'),
    operationId: 'listMaintenance',
    forwards: { call: 'listMaintenance', as: 'windows' },
    summary: 'List the maintenance windows of a channel',
    description: 'Sorted by start. For members of the workspace.',
    query: NO_FILTERS,
    answers: { 200: { is: 'All windows that are on or planned.', schema: 'maintenance-list' } },
    errors: [...ANY_SESSION, 'workspace_not_found', 'channel_not_found', 'invalid_fields'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/channels/{channel}/maintenance'),
    operationId: 'createMaintenance',
    forwards: { call: 'createMaintenance', as: 'maintenance' },
    summary: 'Start or plan maintenance',
    description: `${WHAT_IT_DOES} The channel's subscribers get a silent push. A channel has at most 20 windows; for another one the response is 409.`,
    body: 'maintenance-request',
    answers: { 201: { is: 'The window.', schema: 'maintenance-answer' } },
    errors: [...ANY_MANAGED_CHANGE, ...ANY_BODY, 'channel_not_found', 'conflict'],
  },
  {
    ...managers('patch', '/v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}'),
    operationId: 'updateMaintenance',
    forwards: { call: 'updateMaintenance', as: 'maintenance' },
    summary: 'Change a maintenance window',
    description:
      "Once the window is on, `from` and `only` are fixed. A change of `cron`, `for` or `timezone` counts from the next occurrence on, but `for` also moves the end of the one that is on. The channel's subscribers get a silent push.",
    body: 'maintenance-change',
    answers: { 200: { is: 'The updated window.', schema: 'maintenance-answer' } },
    errors: [...ANY_MANAGED_CHANGE, ...ANY_BODY, 'maintenance_not_found'],
  },
  {
    ...managers('delete', '/v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}'),
    operationId: 'endMaintenance',
    forwards: { call: 'endMaintenance' },
    summary: 'End maintenance, or cancel a planned window',
    description:
      'One loud push says which alerts are still open. A window that recurs does not come back; to end only the occurrence that is on, set its `until`.',
    answers: { 204: { is: 'Ended.' } },
    errors: [...ANY_MANAGED_CHANGE, 'maintenance_not_found'],
  },
  {
    ...signedIn('get', '/v1/maintenance'),
    operationId: 'listMaintenanceOn',
    forwards: { call: 'listMaintenanceOn', as: 'windows' },
    summary: 'List the maintenance that is on',
    description: 'In all of your workspaces, the first to end first: at most 50 windows.',
    query: NO_FILTERS,
    answers: { 200: { is: 'The windows that are on.', schema: 'maintenance-list' } },
    errors: [...ANY_SESSION, 'invalid_fields'],
  },
  {
    method: 'post',
    path: '/v1/maintenance',
    operationId: 'startMaintenance',
    summary: 'Start maintenance with a key',
    description: `For deploy scripts: the window starts now and ends after \`for\`, at most four hours later. ${WHAT_IT_DOES} A channel has at most 20 windows; for another one the response is 409.`,
    scopes: ['alerts:write'],
    body: 'maintenance-start',
    answers: { 201: { is: 'The window. Its `id` ends it.', schema: 'maintenance-answer' } },
    errors: [...ANY_REQUEST, ...ANY_KEY, 'channel_not_found', ...ANY_BODY, 'conflict', 'rate_limited'],
    limited: true,
  },
  {
    method: 'delete',
    path: '/v1/maintenance/{maintenance}',
    operationId: 'endOwnMaintenance',
    summary: 'End maintenance with a key',
    description:
      'A key ends windows that it or its rotations started. For other windows, and for windows of a channel that the key does not reach, the response is 404.',
    scopes: ['alerts:write'],
    answers: { 204: { is: 'Ended.' } },
    errors: [...ANY_REQUEST, ...ANY_KEY, 'maintenance_not_found', 'rate_limited'],
    limited: true,
  },
] as const satisfies readonly Operation[];
