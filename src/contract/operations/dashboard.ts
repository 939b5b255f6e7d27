import {
  ANY_BODY,
  ANY_CONFIRMED_CHANGE,
  ANY_MANAGED_CHANGE,
  ANY_MANAGER,
  IDEMPOTENCY_KEY,
  managers,
  NO_FILTERS,
  type Operation,
  READ_TIMELINE,
} from './operation.ts';

const ROTATE_IT = {
  RotateIt: {
    operationId: 'rotateKey',
    description: 'A successor, while the key works on for a day.',
    parameters: { workspace: '$request.path.workspace', key: '$response.body#/api_key/id' },
  },
};

/** The dashboard, for owners and admins. Every change is in the audit log. */
export const DASHBOARD = [
  {
    ...managers('post', '/v1/workspaces/{workspace}/channels'),
    operationId: 'createChannel',
    summary: 'Create a channel',
    description: 'A slug that is taken is a conflict.',
    body: 'channel-request',
    answers: { 201: { is: 'It takes events from now on.', schema: 'channel-answer' } },
    errors: [...ANY_MANAGED_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...managers('patch', '/v1/workspaces/{workspace}/channels/{channel}'),
    operationId: 'updateChannel',
    summary: 'Rename, activate or deactivate a channel, have it insist, or set its quiet hours',
    description:
      'An inactive channel takes no events and keeps its subscriptions. One that insists opens an alert for each `time_sensitive` event (of another level than `success`), and reminds its devices until a member acknowledges it. Alerts of a channel that is inactive, or insists no more, are resolved. A `standard` event that is accepted in quiet hours is sent without a sound.',
    body: 'channel-change',
    answers: { 200: { is: 'The channel as it is now.', schema: 'channel-answer' } },
    errors: [...ANY_MANAGED_CHANGE, ...ANY_BODY, 'channel_not_found'],
  },
  {
    ...managers('delete', '/v1/workspaces/{workspace}/channels/{channel}'),
    operationId: 'deleteChannel',
    summary: 'Delete a channel',
    description: 'Its subscriptions and events go with it, and what is not sent yet is not sent any more.',
    answers: { 204: { is: 'It is gone.' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'channel_not_found'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/keys'),
    operationId: 'listKeys',
    summary: 'List the API keys',
    query: NO_FILTERS,
    answers: { 200: { is: 'All keys, without their secrets.', schema: 'key-list' } },
    errors: [...ANY_MANAGER, 'invalid_fields'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/keys'),
    operationId: 'createKey',
    summary: 'Create an API key',
    body: 'key-request',
    answers: { 201: { is: 'The key, shown once.', schema: 'key-issued', links: ROTATE_IT } },
    errors: [...ANY_CONFIRMED_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/keys/{key}/rotate'),
    operationId: 'rotateKey',
    summary: 'Rotate an API key',
    description:
      'The old key works for another 24 hours; one that is revoked or expired cannot be rotated, which is a conflict. The new one lives as long from now as the old one was to live at its issue, unless the request says otherwise. A key whose successor works is rotated once more only where that is asked for (`again`), which revokes that successor; else that is a conflict, too.',
    body: 'rotation-request',
    bodyIsOptional: true,
    answers: { 201: { is: 'The new key, shown once.', schema: 'key-issued' } },
    errors: [...ANY_CONFIRMED_CHANGE, ...ANY_BODY, 'key_not_found', 'conflict'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/keys/{key}/revoke'),
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    answers: { 200: { is: 'It is refused from the next request on.', schema: 'key-answer' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'key_not_found'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/members'),
    operationId: 'listMembers',
    summary: 'List the members',
    description: 'In the order of their addresses.',
    query: { schema: 'members-query', reads: ['q', 'role', 'has_device', 'after', 'limit'] },
    answers: { 200: { is: 'One page.', schema: 'member-list' } },
    errors: [...ANY_MANAGER, 'invalid_fields'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/members/{email}'),
    operationId: 'showMember',
    summary: 'Read a member',
    description: 'With where they are signed in. Sessions that may not act in this workspace are not among them.',
    answers: { 200: { is: 'The member.', schema: 'member-in-full' } },
    errors: [...ANY_MANAGER, 'member_not_found'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/members'),
    operationId: 'addMember',
    summary: 'Add a member',
    description:
      'A person known from another workspace keeps the name. Only owners add owners. Who is a member already is a conflict, and so is one member more than a workspace may have. An `invitation` comes with the answer: a person who is signed in already opens it there.',
    body: 'member-request',
    answers: { 201: { is: 'They belong to the workspace.', schema: 'member-answer' } },
    errors: [...ANY_CONFIRMED_CHANGE, ...ANY_BODY, 'conflict'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/members/{email}/pairing'),
    operationId: 'pairMember',
    summary: 'Make a pairing code for a member',
    description:
      'The holder of the code signs in as this member, once, within 15 minutes; an earlier one of this workspace is void. It is an invitation: what it opens may act in this workspace alone, up to your own role, whatever else this person may do. Who is signed in already redeems it there (`POST /v1/session/vouchers`). No admin makes one for an owner. If people sign in through a provider alone, a session that such a code opened makes no codes (403 `provider_first`) until its user has signed in through the provider.',
    answers: { 201: { is: 'The code, shown once.', schema: 'pairing' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'member_not_found', 'provider_first'],
  },
  {
    ...managers('patch', '/v1/workspaces/{workspace}/members/{email}'),
    operationId: 'updateMember',
    summary: 'Give a member another role',
    description:
      'Only owners make, change and remove owners. To change the last owner is a conflict. Where the role goes beyond what is vouched for, an `invitation` comes with the answer, and holds once it was opened.',
    body: 'member-change',
    answers: { 200: { is: 'The member as it is now.', schema: 'member-answer' } },
    errors: [...ANY_CONFIRMED_CHANGE, ...ANY_BODY, 'member_not_found', 'conflict'],
  },
  {
    ...managers('delete', '/v1/workspaces/{workspace}/members/{email}'),
    operationId: 'removeMember',
    summary: 'Remove a member',
    description:
      'Only owners remove owners. To remove the last owner is a conflict. Those whom they let in by pairing codes stay, unless `end_invited` says otherwise.',
    query: { schema: 'member-removal-query', reads: ['end_invited'] },
    answers: { 204: { is: 'They get nothing more from this workspace.' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'member_not_found', 'conflict', 'invalid_fields'],
  },
  {
    ...managers('delete', '/v1/workspaces/{workspace}/members/{email}/sessions'),
    operationId: 'signMemberOut',
    summary: 'Sign a member out everywhere',
    description:
      'Ends all sessions of this person and voids a pairing code that is not used yet; their devices still get pushes. Only where you manage this person in every workspace that they belong to.',
    answers: { 204: { is: 'They are signed in nowhere.' } },
    errors: [...ANY_CONFIRMED_CHANGE, 'member_not_found'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/devices'),
    operationId: 'listMembersDevices',
    summary: 'List the devices of all members',
    query: {
      schema: 'workspace-devices-query',
      reads: ['q', 'platform', 'status', 'channel', 'member', 'after', 'limit'],
    },
    answers: { 200: { is: 'One page.', schema: 'workspace-device-list' } },
    errors: [...ANY_MANAGER, 'channel_not_found', 'member_not_found', 'invalid_fields'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/devices/{device}'),
    operationId: 'showMembersDevice',
    summary: 'Read a device of a member',
    answers: { 200: { is: 'The device.', schema: 'workspace-device-answer' } },
    errors: [...ANY_MANAGER, 'members_device_not_found'],
  },
  {
    ...managers('put', '/v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel}'),
    operationId: 'subscribeMembersDevice',
    summary: "Subscribe a member's device to a channel",
    description:
      'It gets what is posted from now on. The device of an owner is for owners alone. A device that is subscribed already stays so, with the level and the time up to which its person has muted the channel.',
    answers: { 204: { is: 'It is subscribed.' } },
    errors: [...ANY_MANAGED_CHANGE, 'members_device_not_found', 'channel_not_found'],
  },
  {
    ...managers('delete', '/v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel}'),
    operationId: 'unsubscribeMembersDevice',
    summary: "Take a member's device off a channel",
    description:
      'Pushes of the channel that it was still to get are withdrawn. The device of an owner is for owners alone.',
    answers: { 204: { is: 'It is not subscribed any more.' } },
    errors: [...ANY_MANAGED_CHANGE, 'members_device_not_found', 'channel_not_found'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/events'),
    operationId: 'listWorkspaceEvents',
    summary: 'List the events of a workspace',
    description:
      'Newest first, or with `after` oldest first, with their texts and how far their deliveries are; test pushes are among them unless a channel or level is asked for. A search (`q`, `event_type`) looks at some thousand events at a time: until `next` is null there are more to look at, also where a page holds none. Links are not stored, so they are not there.',
    query: {
      schema: 'events-query',
      reads: ['channel', 'level', 'event_type', 'since', 'until', 'q', 'scheduled', 'before', 'after', 'limit'],
    },
    answers: { 200: { is: 'One page.', schema: 'workspace-event-list' } },
    errors: [...ANY_MANAGER, 'channel_not_found', 'invalid_fields'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/events/{public_id}'),
    operationId: 'showWorkspaceEvent',
    summary: 'Read an event with what became of it on each device',
    description:
      'Every try is there for as long as deliveries are kept. Devices come page by page; with `state` those alone whose delivery is in it.',
    query: { schema: 'timeline-query', reads: ['state', 'after', 'limit'] },
    answers: { 200: { is: 'The event, and one page of its deliveries.', schema: 'workspace-event' } },
    errors: [...ANY_MANAGER, 'event_not_found', 'invalid_fields'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/events/{public_id}/resend'),
    operationId: 'resendEvent',
    summary: 'Send again what of an event failed or expired',
    description:
      'Under its own id, to the devices that are active and have been subscribed ever since. What was accepted is not sent again, and no usage is counted. Where nothing failed or expired, or it is not known any more for which devices, that is a conflict.',
    answers: { 200: { is: 'It is queued again.', schema: 'event-resent' } },
    errors: [...ANY_MANAGED_CHANGE, 'event_not_found', 'conflict'],
  },
  {
    ...managers('post', '/v1/workspaces/{workspace}/events'),
    operationId: 'sendEvent',
    summary: 'Send an event by hand',
    description:
      'As an integrator would with a key: the same body, checks and counting. Instead of the limit of a key, that on changes counts. The audit log says who sent it.',
    parameters: [IDEMPOTENCY_KEY],
    body: 'event',
    answers: {
      202: { is: 'The event is queued.', schema: 'event-answer', headers: ['Location'], links: READ_TIMELINE },
      200: {
        is: 'The idempotency key is known: the event that it was first sent with. Or, with `validate_only`, the event is valid.',
        schema: 'event-not-queued',
        headers: ['Idempotent-Replayed', 'Idempotent-Body'],
        links: READ_TIMELINE,
      },
    },
    errors: [...ANY_MANAGED_CHANGE, ...ANY_BODY, 'workspace_inactive', 'channel_not_found', 'allowance_exhausted'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/audit'),
    operationId: 'listAudit',
    summary: 'Read the audit log',
    description:
      'Who changed what, when, and from where, newest first. With a filter a page looks at some thousand entries: until `next` is null there are more, also where a page holds none.',
    query: { schema: 'audit-query', reads: ['actor', 'action', 'since', 'before', 'limit'] },
    answers: { 200: { is: 'One page.', schema: 'audit-list' } },
    errors: [...ANY_MANAGER, 'invalid_fields'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/usage'),
    operationId: 'getWorkspaceUsage',
    summary: 'Read the usage of a workspace',
    query: NO_FILTERS,
    answers: { 200: { is: 'Usage of this month and of the twelve before.', schema: 'usage-answer' } },
    errors: [...ANY_MANAGER, 'invalid_fields'],
  },
  {
    ...managers('get', '/v1/workspaces/{workspace}/stats'),
    operationId: 'getWorkspaceStats',
    summary: 'Read the delivery statistics of a workspace',
    query: { schema: 'stats-query', reads: ['since', 'by'] },
    answers: { 200: { is: 'Counts, by the hour or day, by channel, route and reason.', schema: 'stats-answer' } },
    errors: [...ANY_MANAGER, 'invalid_fields'],
  },
] as const satisfies readonly Operation[];
