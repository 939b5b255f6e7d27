import {
  ANY_BODY,
  ANY_CHANGE,
  ANY_PROVEN_CHANGE,
  ANY_REQUEST,
  ANY_SESSION,
  type Operation,
  type Parameter,
  pathParameter,
  signedIn,
} from './operation.ts';

const DEVICE = pathParameter('device', {
  description: 'Id of one of your devices.',
  pattern: '^dev_',
  example: 'dev_7m3q0f9t2xkd4w6z',
});
const LAST_EVENT_ID: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last event that the client received. Browsers send it by themselves.',
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

const OWN_SUBSCRIPTION = { device: 'deviceId', channel: 'channel' } as const;

export const APP = [
  {
    ...signedIn('post', '/v1/devices'),
    operationId: 'registerDevice',
    forwards: { call: 'registerDevice', shows: ['device'], issues: 'device_token' },
    summary: 'Register a device',
    description:
      "If the platform and token are known, or the endpoint of a browser, the device is updated. A device that another user had registered moves to you, without its subscriptions. If a browser's subscription has changed, pass the previous endpoint as `replaces`. If you already have the maximum number of devices, the response is 409.",
    body: 'device-registration',
    answers: {
      201: { is: 'The device is registered.', schema: 'device-registered', links: TEST_IT },
      200: { is: 'The device was registered already, and is updated.', schema: 'device-registered', links: TEST_IT },
    },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...signedIn('get', '/v1/devices'),
    operationId: 'listDevices',
    forwards: { call: 'listOwnDevices' },
    summary: 'List your devices',
    query: { schema: 'page-query', reads: ['after', 'limit'] },
    answers: { 200: { is: 'The devices, in the order of their first registration.', schema: 'device-list' } },
    errors: [...ANY_SESSION, 'invalid_fields'],
  },
  {
    ...signedIn('patch', '/v1/devices/{device}'),
    parameters: [DEVICE],
    operationId: 'updateDevice',
    forwards: { call: 'updateDevice', as: 'device' },
    summary: 'Give a device a new token, subscription or name',
    description: 'A new token or subscription makes an inactive device active again.',
    body: 'device-change',
    answers: { 200: { is: 'The updated device.', schema: 'device-answer' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'device_not_found'],
  },
  {
    ...signedIn('delete', '/v1/devices/{device}'),
    parameters: [DEVICE],
    operationId: 'removeDevice',
    forwards: { call: 'removeDevice' },
    summary: 'Remove a device',
    description: 'The device gets no more pushes, not even queued ones.',
    answers: { 204: { is: 'Removed.' } },
    errors: [...ANY_CHANGE, 'device_not_found'],
  },
  {
    ...signedIn('post', '/v1/devices/{device}/test'),
    parameters: [DEVICE],
    operationId: 'testDevice',
    summary: 'Send a test push to a device',
    description:
      'Counts no usage. Each person may send five a minute. If the device is inactive, or its provider is not configured, the response is 409.',
    answers: { 202: { is: 'The push is queued.', schema: 'event-answer' } },
    errors: [...ANY_CHANGE, 'device_not_found', 'conflict', 'test_throttled'],
    limited: true,
  },
  {
    method: 'post',
    path: '/v1/devices/{device}/shown',
    device: true,
    parameters: [DEVICE],
    operationId: 'reportShown',
    summary: 'Report that a push was shown or opened',
    description:
      'For pushes with a `receipt`. It works without a session, and ends with the device. A device may send 60 requests a minute, its person 300. A token of another device gets 404.',
    body: 'shown-report',
    answers: { 204: { is: 'The report is stored.' } },
    errors: [
      ...ANY_REQUEST,
      ...ANY_BODY,
      'wrong_device_token',
      'device_not_found',
      'event_not_found',
      'report_throttled',
      'unavailable',
    ],
  },
  {
    ...signedIn('put', '/v1/inbox/read'),
    operationId: 'markInboxRead',
    summary: 'Mark events as read',
    description:
      'Marks the given events, or all events of a workspace up to `up_to`, if you like only those of a channel or level. The marks hold on all of your devices. Read events stay read, even if `up_to` is older.',
    body: 'inbox-read',
    answers: { 204: { is: 'The events are read.' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'workspace_not_found'],
  },
  {
    ...signedIn('get', '/v1/events/{public_id}/assignees'),
    operationId: 'listAssignees',
    forwards: { call: 'listAssignees' },
    summary: 'List the people that an alert can be reassigned to',
    description:
      "Up to 200 other people with an active device that is subscribed to the alert's channel, and not muted for the alert's level.",
    answers: { 200: { is: 'The names of the people.', schema: 'assignees' } },
    errors: [...ANY_SESSION, 'event_not_found', 'no_alert'],
  },
  {
    ...signedIn('post', '/v1/events/{public_id}/reassign'),
    operationId: 'reassignAlert',
    forwards: { call: 'reassignAlert', shows: ['alert'] },
    summary: 'Reassign an alert',
    description:
      'For the person who has the alert, owners and admins. `to` gets a loud push at once, and all others a quiet notice. For one `repeat` of the channel, the alert is open for `to` alone. If nobody acknowledges the alert in that time, it is open for everyone, and its timers start.',
    body: 'reassignment',
    answers: { 200: { is: 'The updated alert.', schema: 'alert-answer' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'role_too_low', 'event_not_found', 'no_alert', 'conflict', 'not_reachable'],
  },
  {
    ...signedIn('put', '/v1/inbox/unread'),
    operationId: 'markInboxUnread',
    forwards: { call: 'markEventsUnread' },
    summary: 'Mark events as unread',
    description:
      'The marks hold on all of your devices. If you have several thousand unread events marked by hand, further ones get 409.',
    body: 'inbox-unread',
    answers: { 204: { is: 'The events are unread.' } },
    errors: [...ANY_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...signedIn('get', '/v1/webpush'),
    operationId: 'showWebPush',
    summary: 'Get the public key for browser subscriptions',
    answers: { 200: { is: 'The public key of this installation.', schema: 'webpush-answer' } },
    errors: ANY_SESSION,
  },
  {
    ...signedIn('get', '/v1/stream'),
    operationId: 'openStream',
    summary: 'Stream changes',
    description:
      'Server-sent events, until the session ends. An event `change` names a kind of object that may have changed and that you may see; load it by its usual route. Changes of a kind are reported at most twice a second. A client that reconnects with its `Last-Event-ID` gets the changes it missed, or `everything`. Responses to a `GET` by cookie also have a `Last-Event-ID`, so a browser can open the stream from there without loading again. Every 20 seconds, an event `alive` with the data `{}` and a comment are sent. If a client receives nothing for 60 seconds, it closes the stream and opens another with its last id. A session has at most 10 streams. If a client does not read, its stream is closed.',
    parameters: [LAST_EVENT_ID],
    query: { schema: 'stream-query', reads: ['last_event_id'] },
    answers: { 200: { is: 'The stream, without an end.', schema: 'change', streams: true } },
    errors: [...ANY_SESSION, 'invalid_fields', 'too_many_streams'],
  },
  {
    ...SUBSCRIPTION,
    method: 'put',
    operationId: 'subscribe',
    forwards: { call: 'subscribe', named: OWN_SUBSCRIPTION },
    summary: 'Subscribe a device to a channel, and mute it',
    description:
      'The body replaces all mutes of the subscription: without `min_level` or `muted_until`, or without a body, that mute ends. Pushes that a provider has already accepted may still arrive.',
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
      'Your devices get no more pushes of the workspace. If it is your last workspace, you are deleted with your devices and sessions. If you are the last owner, the response is 409.',
    answers: { 204: { is: 'You are no longer a member.' } },
    errors: [...ANY_PROVEN_CHANGE, 'workspace_not_found', 'conflict'],
  },
  {
    ...signedIn('get', '/v1/workspaces/{workspace}/channels'),
    operationId: 'listChannels',
    forwards: { call: 'listChannelsFor' },
    summary: 'List the channels of a workspace',
    description:
      'Sorted by slug. Without `limit`, a page has as many channels as fit: up to 2,000, fewer if many of your devices are subscribed. `next` leads to the next page.',
    query: { schema: 'channels-query', reads: ['q', 'status', 'after', 'limit'] },
    answers: { 200: { is: 'The channels, with your subscribed devices.', schema: 'channel-list' } },
    errors: [...ANY_SESSION, 'workspace_not_found', 'invalid_fields'],
  },
] as const satisfies readonly Operation[];
