import {
  ANY_BODY,
  ANY_CHANGE,
  ANY_PROVEN_CHANGE,
  ANY_SESSION,
  type Operation,
  type Parameter,
  pathParameter,
  signedIn,
} from './operation.ts';

const DEVICE = pathParameter('device', {
  description: 'Id of an own device.',
  pattern: '^dev_',
  example: 'dev_7m3q0f9t2xkd4w6z',
});
const LAST_EVENT_ID: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last event that the client has got. Browsers send it by themselves.',
  schema: { type: 'string' },
  example: '5f1c0a9b33de-42',
};
const TEST_IT = {
  TestIt: {
    operationId: 'testDevice',
    description: 'A test push to this device.',
    parameters: { device: '$response.body#/device/id' },
  },
};
const SUBSCRIPTION = {
  path: '/v1/devices/{device}/subscriptions/{workspace}/{channel}',
  session: 'any',
  parameters: [DEVICE],
  errors: [...ANY_CHANGE, 'device_not_found', 'own_channel_not_found'],
} as const;

/** Arguments of the store's calls. */
const OWN_SUBSCRIPTION = { device: 'deviceId', channel: 'channel' } as const;

/** The app, for people who are signed in: their devices, subscriptions and inbox. */
export const APP = [
  {
    ...signedIn('post', '/v1/devices'),
    operationId: 'registerDevice',
    forwards: { call: 'registerDevice', shows: ['device'] },
    summary: 'Register a device',
    description:
      'The same platform and token again update the device, as does the same endpoint of a browser. What another user had registered moves to this one, without its subscriptions. A browser whose subscription has changed names the endpoint that it had before (`replaces`). One device more than a person may have is a conflict.',
    body: 'device-registration',
    answers: {
      201: { is: 'The device is registered.', schema: 'device-answer', links: TEST_IT },
      200: { is: 'It was registered already, and is up to date now.', schema: 'device-answer', links: TEST_IT },
    },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...signedIn('get', '/v1/devices'),
    operationId: 'listDevices',
    forwards: { call: 'listOwnDevices' },
    summary: 'List the own devices',
    query: { schema: 'page-query', reads: ['after', 'limit'] },
    answers: { 200: { is: 'In the order of their first registration.', schema: 'device-list' } },
    errors: [...ANY_SESSION, 'invalid_fields'],
  },
  {
    ...signedIn('patch', '/v1/devices/{device}'),
    parameters: [DEVICE],
    operationId: 'updateDevice',
    forwards: { call: 'updateDevice', as: 'device' },
    summary: 'Give a device a new token, subscription or name',
    description: 'A device that had become inactive is active again with a new token or subscription.',
    body: 'device-change',
    answers: { 200: { is: 'The device as it is now.', schema: 'device-answer' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'device_not_found'],
  },
  {
    ...signedIn('delete', '/v1/devices/{device}'),
    parameters: [DEVICE],
    operationId: 'removeDevice',
    forwards: { call: 'removeDevice' },
    summary: 'Remove a device',
    description: 'Nothing reaches it any more, not even what is queued.',
    answers: { 204: { is: 'It is gone.' } },
    errors: [...ANY_CHANGE, 'device_not_found'],
  },
  {
    ...signedIn('post', '/v1/devices/{device}/test'),
    parameters: [DEVICE],
    operationId: 'testDevice',
    summary: 'Send a test push to a device',
    description:
      'Counts no usage. Five a minute for each person. A device that is inactive, or whose provider is not configured, is a conflict.',
    answers: { 202: { is: 'The push is queued.', schema: 'event-answer' } },
    errors: [...ANY_CHANGE, 'device_not_found', 'conflict', 'test_throttled'],
    limited: true,
  },
  {
    ...signedIn('put', '/v1/inbox/read'),
    operationId: 'markInboxRead',
    summary: 'Mark events as read',
    description:
      'Some events alone; or one and all before it in its workspace, of one channel or level where they are named. On all own devices. What was read stays read, also where an older event is named.',
    body: 'inbox-read',
    answers: { 204: { is: 'They are read.' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'workspace_not_found'],
  },
  {
    ...signedIn('get', '/v1/events/{public_id}/assignees'),
    operationId: 'listAssignees',
    forwards: { call: 'listAssignees' },
    summary: 'List whom an alert can be reassigned to',
    description:
      'The other people, up to 200, who have an active device that is subscribed to the channel of the alert and not muted for its level.',
    answers: { 200: { is: 'Their names.', schema: 'assignees' } },
    errors: [...ANY_SESSION, 'event_not_found', 'no_alert'],
  },
  {
    ...signedIn('post', '/v1/events/{public_id}/reassign'),
    operationId: 'reassignAlert',
    forwards: { call: 'reassignAlert', shows: ['alert'] },
    summary: 'Reassign an alert',
    description:
      'For the person who has the alert, owners and admins. `to` gets a loud push at once, and all others a quiet notice. For one `repeat` of the channel, the alert is open for `to` alone. If nobody acknowledges it until then, it is open for everyone, and its timers start.',
    body: 'reassignment',
    answers: { 200: { is: 'The alert as it is now.', schema: 'alert-answer' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'role_too_low', 'event_not_found', 'no_alert', 'conflict', 'not_reachable'],
  },
  {
    ...signedIn('put', '/v1/inbox/unread'),
    operationId: 'markInboxUnread',
    forwards: { call: 'markEventsUnread' },
    summary: 'Mark events as unread',
    description: 'On all own devices. A person may have some thousand of them; more are a conflict.',
    body: 'inbox-unread',
    answers: { 204: { is: 'They are unread.' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...signedIn('get', '/v1/webpush'),
    operationId: 'showWebPush',
    summary: 'What a browser needs to subscribe to pushes',
    answers: { 200: { is: 'The public key of this installation.', schema: 'webpush-answer' } },
    errors: ANY_SESSION,
  },
  {
    ...signedIn('get', '/v1/stream'),
    operationId: 'openStream',
    summary: 'Hear that something changed',
    description:
      'Server-sent events for as long as the session lives. An event `change` says what may have changed of what this person may see, never the thing itself, which is loaded by its usual route. Changes of a kind are reported at most twice a second. A client that comes back with the `Last-Event-ID` that it knows gets what it missed; else, `everything`. Answers to a `GET` by cookie have a `Last-Event-ID` too: a browser that opens a stream from there need not load again what it has. An event `alive` with the data `{}`, and a comment, come every 20 seconds: a client that hears nothing for 60 seconds closes the stream, and opens another with its last id. A session has at most 10 streams. Who does not read is cut off.',
    parameters: [LAST_EVENT_ID],
    query: { schema: 'stream-query', reads: ['last_event_id'] },
    answers: { 200: { is: 'The stream, which has no end.', schema: 'change', streams: true } },
    errors: [...ANY_SESSION, 'invalid_fields', 'too_many_streams'],
  },
  {
    ...SUBSCRIPTION,
    method: 'put',
    operationId: 'subscribe',
    forwards: { call: 'subscribe', named: OWN_SUBSCRIPTION },
    summary: 'Subscribe a device to a channel, and mute it',
    description:
      'The body says all that is muted from now on: one without `min_level` or `muted_until`, or no body at all, ends such a mute. What has been handed to a provider already may still arrive.',
    body: 'subscription-request',
    bodyIsOptional: true,
    errors: [...SUBSCRIPTION.errors, ...ANY_BODY],
    answers: { 204: { is: 'The device is subscribed.' } },
  },
  {
    ...SUBSCRIPTION,
    method: 'delete',
    operationId: 'unsubscribe',
    forwards: { call: 'unsubscribe', named: OWN_SUBSCRIPTION },
    summary: 'Unsubscribe a device from a channel',
    answers: { 204: { is: 'The device is not subscribed.' } },
  },
  {
    ...signedIn('delete', '/v1/workspaces/{workspace}/members/me'),
    operationId: 'leaveWorkspace',
    summary: 'Leave a workspace',
    description:
      'Own devices get nothing more from it. Who leaves their last workspace is forgotten, with devices and sessions. The last owner cannot leave, which is a conflict.',
    answers: { 204: { is: 'You no longer belong to it.' } },
    errors: [...ANY_PROVEN_CHANGE, 'workspace_not_found', 'conflict'],
  },
  {
    ...signedIn('get', '/v1/workspaces/{workspace}/channels'),
    operationId: 'listChannels',
    forwards: { call: 'listChannelsFor' },
    summary: 'List the channels of a workspace',
    description:
      'In the order of their slugs. Without `limit` as many as fit in a page: up to 2,000, less where many own devices are subscribed. `next` says where to go on.',
    query: { schema: 'channels-query', reads: ['q', 'status', 'after', 'limit'] },
    answers: { 200: { is: 'The channels, and which own devices are subscribed.', schema: 'channel-list' } },
    errors: [...ANY_SESSION, 'workspace_not_found', 'invalid_fields'],
  },
] as const satisfies readonly Operation[];
