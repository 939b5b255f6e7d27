import { SCOPES, type Scope } from '../../src/push.ts';

/** `ok`: the caller gets as far as the thing itself. */
export type Answer = 401 | 403 | 404 | 'ok';

/** People: of the workspace that is asked about, or `elsewhere`, who belongs to another only. All are signed in. */
const PEOPLE = ['elsewhere', 'member', 'admin', 'owner'] as const;
/**
 * Keys of one scope each. `posterKey`: with `events:write`, and it alone posted the event that is asked about, which all
 * others did not. `boundKey`: with every scope that goes with others, but bound to another channel.
 */
const KEYS = [...SCOPES.map((scope) => `key ${scope}` as const), 'posterKey', 'boundKey'] as const;
/** `stranger`: has no token. `crossSite`: the cookie of an owner, from a page of another origin. */
export const CALLERS = ['stranger', ...PEOPLE, 'crossSite', ...KEYS] as const;
export type Caller = (typeof CALLERS)[number];

/** The callers that may do something. */
export interface Right {
  /** The callers, in the words of SECURITY.md. */
  readonly who: string;
  readonly answers: Readonly<Record<Caller, Answer>>;
  /** Scopes by which keys may do it, alone or within limits. */
  readonly scopes: readonly Scope[];
}

type OfPeople = Readonly<Record<(typeof PEOPLE)[number], Answer>>;
type OfKeys = Pick<Right, 'scopes'> & Readonly<Record<(typeof KEYS)[number], Answer>>;

function right(who: string, ofPeople: OfPeople | null, ofKeys: OfKeys | null): Right {
  const { scopes, ...keys } = ofKeys ?? { ...sameFor(KEYS, 401), scopes: [] };
  const people = ofPeople ?? sameFor(PEOPLE, 401);
  return { who, scopes, answers: { stranger: 401, ...people, crossSite: ofPeople === null ? 401 : 403, ...keys } };
}

function people(elsewhere: Answer, member: Answer, admin: Answer, owner: Answer): OfPeople {
  return { elsewhere, member, admin, owner };
}

/** Keys with one of the scopes. `posterKey` is judged by its scope, unless it may do more with what it posted. */
function keys(scopes: readonly Scope[], boundKey: Answer, posterKey?: Answer): OfKeys {
  const byScope = (scope: Scope): Answer => (scopes.includes(scope) ? 'ok' : 403);
  const byScopes = Object.fromEntries(SCOPES.map((scope) => [`key ${scope}`, byScope(scope)]));
  return {
    ...(byScopes as Record<`key ${Scope}`, Answer>),
    posterKey: posterKey ?? byScope('events:write'),
    boundKey,
    scopes: posterKey === undefined ? scopes : [...scopes, 'events:write'],
  };
}

function sameFor<C extends string>(callers: readonly C[], answer: Answer): Record<C, Answer> {
  return Object.fromEntries(callers.map((caller) => [caller, answer])) as Record<C, Answer>;
}

const everybody = (who: string, answer: Answer): Right => ({ who, scopes: [], answers: sameFor(CALLERS, answer) });

const ANYBODY = everybody('anybody', 'ok');
/** There is no provider that people sign in by. */
const NOT_CONFIGURED = everybody('anybody, if `[oidc]` is set', 404);

const POST = right('a key with `events:write`, to its channels', null, keys(['events:write'], 404));
const CONNECT = right('a key with `events:write`', null, keys(['events:write'], 'ok'));
const READ_REACHED = right('a key with `events:read`, of its channels', null, keys(['events:read'], 'ok'));
const OF_MEMBERS = people(404, 'ok', 'ok', 'ok');
const READ_LIST = right(
  'a key with `events:read`, of its channels; a person, of their workspaces',
  OF_MEMBERS,
  keys(['events:read'], 'ok'),
);
const READ_ON_CALL = right(
  'a key with `events:read`, of its workspace; a person, of their workspaces',
  people('ok', 'ok', 'ok', 'ok'),
  keys(['events:read'], 'ok'),
);
const PUT_HEARTBEAT = right('a key with `heartbeats:write`, in its channels', null, keys(['heartbeats:write'], 404));
const READ_EVENT = { ...READ_LIST, answers: { ...READ_LIST.answers, boundKey: 404 } } as const satisfies Right;
const ACKNOWLEDGE = right(
  'a key with `alerts:write`, in its channels; a member',
  OF_MEMBERS,
  keys(['alerts:write'], 404),
);
const RESOLVE = right(
  'a key with `alerts:write`, in its channels, or with `events:write`, of what it alone posted; a member',
  OF_MEMBERS,
  keys(['alerts:write'], 404, 'ok'),
);
const CANCEL = right(
  'a key with `alerts:write`, in its channels, or with `events:write`, of what it alone posted; an owner or admin',
  people(404, 403, 'ok', 'ok'),
  keys(['alerts:write'], 404, 'ok'),
);

const MAINTAIN = right('a key with `alerts:write`, in its channels', null, keys(['alerts:write'], 404));
const END_OWN_MAINTENANCE = right('a key with `alerts:write`, of what it or its rotations started', null, {
  ...keys(['alerts:write'], 404),
  'key alerts:write': 404,
});

const PERSON = right('a person, for themselves', people('ok', 'ok', 'ok', 'ok'), null);
const DEVICE = right('the device itself, by its device token', null, null);
/** The owner's device or session: none of the others has it. */
const OWN_THING = right('a person, of what is their own', people(404, 404, 404, 'ok'), null);
const OWN_PASSKEY = { ...OWN_THING, answers: { ...OWN_THING.answers, owner: 404 } } as const satisfies Right;
const MEMBER = right('a member of the workspace', OF_MEMBERS, null);
const READ_HEARTBEATS = right(
  'a member of the workspace; with the address of its pings, an owner or admin',
  OF_MEMBERS,
  null,
);
const MANAGER = right('an owner or admin of the workspace', people(404, 403, 'ok', 'ok'), null);
/** The owner has the time and the override. */
const OVERRIDE = right(
  'a member of the workspace, of their own time; an owner or admin',
  people(404, 403, 'ok', 'ok'),
  null,
);
const OWNER_ONLY = right('an owner of the workspace', people(404, 403, 403, 'ok'), null);
/** The caller has the alert by then, if they may acknowledge it. */
const REASSIGN = right('the person who has the alert; an owner or admin of the workspace', OF_MEMBERS, null);
/** The device of an owner, of which admins do not decide. */
const OWNER = right(
  'an owner or admin of the workspace; of the device of an owner, an owner',
  people(404, 403, 403, 'ok'),
  null,
);

/** In an order in which nothing is gone that a later line needs. */
export const TABLE: Readonly<Record<string, Right>> = {
  'post /v1/events': POST,
  'get /v1/events/{public_id}': READ_EVENT,
  'get /v1/alerts': READ_LIST,
  'post /v1/events/{public_id}/acknowledge': ACKNOWLEDGE,
  'post /v1/events/{public_id}/resolve': RESOLVE,
  'post /v1/events/{public_id}/reopen': ACKNOWLEDGE,
  'post /v1/events/{public_id}/cancel': CANCEL,
  'get /v1/channels': READ_REACHED,
  'get /v1/heartbeats': READ_REACHED,
  'put /v1/heartbeats/{heartbeat}': PUT_HEARTBEAT,
  'get /v1/on-call': READ_ON_CALL,
  'get /v1/maintenance': PERSON,
  'post /v1/maintenance': MAINTAIN,
  'delete /v1/maintenance/{maintenance}': END_OWN_MAINTENANCE,
  'get /v1/connection': CONNECT,
  'get /v1/usage': READ_REACHED,

  'post /v1/session': ANYBODY,
  'get /v1/session/ways': ANYBODY,
  'get /v1/session/oidc': NOT_CONFIGURED,
  'get /v1/session/oidc/callback': NOT_CONFIGURED,
  'get /v1/session': PERSON,
  'patch /v1/session': PERSON,
  'get /v1/sessions': PERSON,
  'delete /v1/sessions/{session}': OWN_THING,
  'put /v1/session/password': PERSON,
  'post /v1/session/confirmation': PERSON,
  'post /v1/session/pairing': PERSON,
  'post /v1/session/vouchers': PERSON,
  'post /v1/passkeys/challenge': ANYBODY,
  'get /v1/passkeys': PERSON,
  'post /v1/passkeys': PERSON,
  'delete /v1/passkeys/{passkey}': OWN_PASSKEY,

  'post /v1/devices': PERSON,
  'get /v1/devices': PERSON,
  'get /v1/webpush': PERSON,
  'get /v1/stream': PERSON,
  'patch /v1/devices/{device}': OWN_THING,
  'post /v1/devices/{device}/test': OWN_THING,
  'post /v1/devices/{device}/shown': DEVICE,
  'put /v1/devices/{device}/subscriptions/{workspace}/{channel}': OWN_THING,
  'delete /v1/devices/{device}/subscriptions/{workspace}/{channel}': OWN_THING,
  'get /v1/workspaces/{workspace}/devices/{device}': MANAGER,
  'put /v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel}': OWNER,
  'delete /v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel}': OWNER,
  'delete /v1/devices/{device}': OWN_THING,
  'get /v1/workspaces/{workspace}/channels': MEMBER,
  'get /v1/events/{public_id}/assignees': MEMBER,
  'post /v1/events/{public_id}/reassign': REASSIGN,
  'get /v1/events': READ_LIST,

  'put /v1/inbox/read': MEMBER,
  'put /v1/inbox/unread': PERSON,

  'get /v1/workspaces/{workspace}/heartbeats': READ_HEARTBEATS,
  'post /v1/workspaces/{workspace}/heartbeats': MANAGER,
  'get /v1/workspaces/{workspace}/heartbeats/{heartbeat}': READ_HEARTBEATS,
  'patch /v1/workspaces/{workspace}/heartbeats/{heartbeat}': MANAGER,
  'post /v1/workspaces/{workspace}/heartbeats/{heartbeat}/pause': MANAGER,
  'post /v1/workspaces/{workspace}/heartbeats/{heartbeat}/resume': MANAGER,
  'get /v1/workspaces/{workspace}/channels/{channel}/maintenance': MEMBER,
  'post /v1/workspaces/{workspace}/channels/{channel}/maintenance': MANAGER,
  'patch /v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}': MANAGER,
  'delete /v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}': MANAGER,
  'get /v1/workspaces/{workspace}/webhooks': MANAGER,
  'post /v1/workspaces/{workspace}/webhooks': MANAGER,
  'patch /v1/workspaces/{workspace}/webhooks/{webhook}': MANAGER,
  'post /v1/workspaces/{workspace}/webhooks/{webhook}/rotate': MANAGER,
  'post /v1/workspaces/{workspace}/webhooks/{webhook}/test': MANAGER,
  'delete /v1/workspaces/{workspace}/webhooks/{webhook}': MANAGER,

  'patch /v1/workspaces/{workspace}': OWNER_ONLY,
  'post /v1/workspaces/{workspace}/channels': MANAGER,
  'patch /v1/workspaces/{workspace}/channels/{channel}': MANAGER,
  'get /v1/workspaces/{workspace}/keys': MANAGER,
  'post /v1/workspaces/{workspace}/keys': MANAGER,
  'post /v1/workspaces/{workspace}/keys/{key}/rotate': MANAGER,
  'post /v1/workspaces/{workspace}/keys/{key}/revoke': MANAGER,
  'get /v1/workspaces/{workspace}/members': MANAGER,
  'post /v1/workspaces/{workspace}/members': MANAGER,
  'post /v1/workspaces/{workspace}/members/{email}/pairing': MANAGER,
  'patch /v1/workspaces/{workspace}/members/{email}': MANAGER,
  'get /v1/workspaces/{workspace}/members/{email}': MANAGER,
  'get /v1/workspaces/{workspace}/members/{email}/events': MANAGER,
  'delete /v1/workspaces/{workspace}/members/{email}/sessions': MANAGER,
  'delete /v1/workspaces/{workspace}/members/{email}': MANAGER,
  'get /v1/workspaces/{workspace}/devices': MANAGER,
  'get /v1/workspaces/{workspace}/events': MANAGER,
  'get /v1/workspaces/{workspace}/events/{public_id}': MANAGER,
  'post /v1/workspaces/{workspace}/events/{public_id}/resend': MANAGER,
  'post /v1/workspaces/{workspace}/events': MANAGER,
  'get /v1/workspaces/{workspace}/audit': MANAGER,
  'get /v1/workspaces/{workspace}/usage': MANAGER,
  'get /v1/workspaces/{workspace}/stats': MANAGER,
  'get /v1/workspaces/{workspace}/rotas': MEMBER,
  'post /v1/workspaces/{workspace}/rotas': MANAGER,
  'get /v1/workspaces/{workspace}/rotas/{rota}': MEMBER,
  'patch /v1/workspaces/{workspace}/rotas/{rota}': MANAGER,
  'get /v1/workspaces/{workspace}/rotas/{rota}/shifts': MEMBER,
  'post /v1/workspaces/{workspace}/rotas/{rota}/overrides': OVERRIDE,
  'delete /v1/workspaces/{workspace}/rotas/{rota}/overrides/{override}': OVERRIDE,
  'delete /v1/workspaces/{workspace}/rotas/{rota}': MANAGER,
  'post /v1/session/calendar': PERSON,
  'delete /v1/session/calendar': PERSON,

  'delete /v1/workspaces/{workspace}/heartbeats/{heartbeat}': MANAGER,
  'delete /v1/workspaces/{workspace}/channels/{channel}': MANAGER,

  'delete /v1/workspaces/{workspace}/members/me': MEMBER,

  'get /openapi.json': ANYBODY,
  'get /healthz': ANYBODY,
  'get /readyz': ANYBODY,

  'delete /v1/session': PERSON,
};
