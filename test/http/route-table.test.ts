import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { newWebhookSecret } from '../../src/contract/webhooks.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA, BOB, CARL, DAN, EVE } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { describedApi, operationsOf } from '../support/openapi.ts';
import { granted } from '../support/refusals.ts';
import { aPerson, signIn } from '../support/sign-in.ts';
import { type OpenStream, openStream } from '../support/stream.ts';

/** Who asks. `stranger` belongs to another workspace only; all others are of the workspace that is asked about. */
const WHO = ['anonymous', 'key', 'stranger', 'member', 'admin', 'owner'] as const;
type Who = (typeof WHO)[number];

/** What each of them is answered, in the order above. `ok`: they get as far as the thing itself. */
type Line = readonly (401 | 403 | 404 | 'ok')[];

const ANYBODY: Line = ['ok', 'ok', 'ok', 'ok', 'ok', 'ok'];
/** There is no provider that people sign in by. */
const NOT_CONFIGURED: Line = [404, 404, 404, 404, 404, 404];
const INTEGRATORS: Line = [401, 'ok', 401, 401, 401, 401];
const PEOPLE: Line = [401, 401, 'ok', 'ok', 'ok', 'ok'];
/** Things of the workspace that any member may see. */
const MEMBERS: Line = [401, 401, 404, 'ok', 'ok', 'ok'];
const MANAGERS: Line = [401, 401, 404, 403, 'ok', 'ok'];
/** The device of an owner, of which admins do not decide. */
const OWNERS: Line = [401, 401, 404, 403, 403, 'ok'];
/** The owner's device or session: none of the others has it. */
const ITS_OWNER: Line = [401, 401, 404, 404, 404, 'ok'];

/** In an order in which nothing is gone that a later line needs. */
const TABLE: Readonly<Record<string, Line>> = {
  'post /v1/events': INTEGRATORS,
  'get /v1/events/{public_id}': [401, 'ok', 404, 'ok', 'ok', 'ok'],
  'get /v1/alerts': [401, 'ok', 404, 'ok', 'ok', 'ok'],
  'post /v1/events/{public_id}/acknowledge': [401, 'ok', 404, 'ok', 'ok', 'ok'],
  'post /v1/events/{public_id}/resolve': [401, 'ok', 404, 'ok', 'ok', 'ok'],
  'post /v1/events/{public_id}/cancel': [401, 'ok', 404, 403, 'ok', 'ok'],
  'get /v1/channels': INTEGRATORS,
  'get /v1/heartbeats': INTEGRATORS,
  'get /v1/connection': INTEGRATORS,
  'get /v1/usage': INTEGRATORS,

  'post /v1/session': ANYBODY,
  'get /v1/session/ways': ANYBODY,
  'get /v1/session/oidc': NOT_CONFIGURED,
  'get /v1/session/oidc/callback': NOT_CONFIGURED,
  'get /v1/session': PEOPLE,
  'get /v1/sessions': PEOPLE,
  'delete /v1/sessions/{session}': ITS_OWNER,
  'put /v1/session/password': PEOPLE,
  'post /v1/session/confirmation': PEOPLE,
  'post /v1/session/pairing': PEOPLE,
  'post /v1/session/vouchers': PEOPLE,
  'post /v1/passkeys/challenge': ANYBODY,
  'get /v1/passkeys': PEOPLE,
  'post /v1/passkeys': PEOPLE,
  'delete /v1/passkeys/{passkey}': [401, 401, 404, 404, 404, 404],

  'post /v1/devices': PEOPLE,
  'get /v1/devices': PEOPLE,
  'get /v1/webpush': PEOPLE,
  'get /v1/stream': PEOPLE,
  'patch /v1/devices/{device}': ITS_OWNER,
  'post /v1/devices/{device}/test': ITS_OWNER,
  'put /v1/devices/{device}/subscriptions/{workspace}/{channel}': ITS_OWNER,
  'delete /v1/devices/{device}/subscriptions/{workspace}/{channel}': ITS_OWNER,
  'get /v1/workspaces/{workspace}/devices/{device}': MANAGERS,
  'put /v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel}': OWNERS,
  'delete /v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel}': OWNERS,
  'delete /v1/devices/{device}': ITS_OWNER,
  'get /v1/workspaces/{workspace}/channels': MEMBERS,
  'get /v1/events': [401, 'ok', 404, 'ok', 'ok', 'ok'],

  'put /v1/inbox/read': MEMBERS,
  'put /v1/inbox/unread': PEOPLE,

  'get /v1/workspaces/{workspace}/heartbeats': MEMBERS,
  'post /v1/workspaces/{workspace}/heartbeats': MANAGERS,
  'get /v1/workspaces/{workspace}/heartbeats/{heartbeat}': MEMBERS,
  'patch /v1/workspaces/{workspace}/heartbeats/{heartbeat}': MANAGERS,
  'post /v1/workspaces/{workspace}/heartbeats/{heartbeat}/pause': MANAGERS,
  'post /v1/workspaces/{workspace}/heartbeats/{heartbeat}/resume': MANAGERS,
  'get /v1/workspaces/{workspace}/webhooks': MANAGERS,
  'post /v1/workspaces/{workspace}/webhooks': MANAGERS,
  'patch /v1/workspaces/{workspace}/webhooks/{webhook}': MANAGERS,
  'post /v1/workspaces/{workspace}/webhooks/{webhook}/rotate': MANAGERS,
  'post /v1/workspaces/{workspace}/webhooks/{webhook}/test': MANAGERS,
  'delete /v1/workspaces/{workspace}/webhooks/{webhook}': MANAGERS,

  'post /v1/workspaces/{workspace}/channels': MANAGERS,
  'patch /v1/workspaces/{workspace}/channels/{channel}': MANAGERS,
  'get /v1/workspaces/{workspace}/keys': MANAGERS,
  'post /v1/workspaces/{workspace}/keys': MANAGERS,
  'post /v1/workspaces/{workspace}/keys/{key}/rotate': MANAGERS,
  'post /v1/workspaces/{workspace}/keys/{key}/revoke': MANAGERS,
  'get /v1/workspaces/{workspace}/members': MANAGERS,
  'post /v1/workspaces/{workspace}/members': MANAGERS,
  'post /v1/workspaces/{workspace}/members/{email}/pairing': MANAGERS,
  'patch /v1/workspaces/{workspace}/members/{email}': MANAGERS,
  'get /v1/workspaces/{workspace}/members/{email}': MANAGERS,
  'delete /v1/workspaces/{workspace}/members/{email}/sessions': MANAGERS,
  'delete /v1/workspaces/{workspace}/members/{email}': MANAGERS,
  'get /v1/workspaces/{workspace}/devices': MANAGERS,
  'get /v1/workspaces/{workspace}/events': MANAGERS,
  'get /v1/workspaces/{workspace}/events/{public_id}': MANAGERS,
  'post /v1/workspaces/{workspace}/events/{public_id}/resend': MANAGERS,
  'post /v1/workspaces/{workspace}/events': MANAGERS,
  'get /v1/workspaces/{workspace}/audit': MANAGERS,
  'get /v1/workspaces/{workspace}/usage': MANAGERS,
  'get /v1/workspaces/{workspace}/stats': MANAGERS,
  'delete /v1/workspaces/{workspace}/heartbeats/{heartbeat}': MANAGERS,
  'delete /v1/workspaces/{workspace}/channels/{channel}': MANAGERS,

  'delete /v1/workspaces/{workspace}/members/me': MEMBERS,

  'get /openapi.json': ANYBODY,
  'get /healthz': ANYBODY,
  'get /readyz': ANYBODY,

  'delete /v1/session': PEOPLE,
};

/** Bodies that are taken, for the routes that change something and need one. */
const BODIES: Readonly<Record<string, unknown>> = {
  'post /v1/events': { channel: 'alerts', title: 'Done' },
  'put /v1/session/password': { new: 'correct horse battery' },
  'post /v1/devices': { platform: 'android', token: androidToken('a token') },
  'patch /v1/devices/{device}': { name: 'Mine' },
  'put /v1/inbox/read': { workspace: 'acme', up_to: 'evt_01m7yq1whvehx9w1n0h5r0c6ct' },
  'put /v1/inbox/unread': { events: ['evt_01m7yq1whvehx9w1n0h5r0c6ct'] },
  'post /v1/workspaces/{workspace}/events': { channel: 'alerts', title: 'Done' },
  'post /v1/workspaces/{workspace}/channels': { slug: 'fresh' },
  'patch /v1/workspaces/{workspace}/channels/{channel}': { name: 'Renamed' },
  'post /v1/workspaces/{workspace}/heartbeats': { slug: 'fresh', channel: 'alerts' },
  'patch /v1/workspaces/{workspace}/heartbeats/{heartbeat}': { grace: 60 },
  'post /v1/workspaces/{workspace}/webhooks': { url: 'https://hooks.example.com/in' },
  'patch /v1/workspaces/{workspace}/webhooks/{webhook}': { kinds: ['alert.opened'] },
  'post /v1/workspaces/{workspace}/keys': { name: 'ci', scopes: ['events:write'] },
  'post /v1/workspaces/{workspace}/members': { email: 'new@example.com', role: 'member' },
  'patch /v1/workspaces/{workspace}/members/{email}': { role: 'member' },
};

interface Scene {
  readonly api: Api;
  readonly tokens: Readonly<Record<Who, string | undefined>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A workspace with one thing of each kind, and everybody who could ask for it. */
async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    await api.addWorkspace('umbrella');
    const owner = await aPerson(api, ADA, { role: 'owner' });
    const tokens = {
      anonymous: undefined,
      key: api.key,
      stranger: await aPerson(api, EVE, { workspace: 'umbrella', role: 'owner' }),
      member: await aPerson(api, BOB),
      admin: await aPerson(api, CARL, { role: 'admin' }),
      owner,
    };
    await aPerson(api, DAN);
    // So that a person who leaves still belongs to a workspace.
    for (const email of [BOB, CARL]) await api.join(email, { workspace: 'umbrella' });
    const body = { platform: 'ios', token: 'ab'.repeat(32) };
    const registered = await api.request('/api/v1/devices', { method: 'POST', key: owner, body });
    const posted = await api.post({ channel: 'alerts', title: 'Done' });
    await api.real.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug: 'backup' });
    const hook = { workspace: 'acme', url: 'https://hooks.example.com/in', secret: newWebhookSecret(randomBytes) };
    const { id: webhook } = granted(await api.real.createWebhook(hook));
    const { id: key } = await api.issueKey();
    const parameters = {
      workspace: 'acme',
      channel: 'alerts',
      device: (registered.body.device as { id: string }).id,
      public_id: (posted.body.event as { public_id: string }).public_id,
      key,
      email: encodeURIComponent(DAN),
      session: await anotherSession(api, ADA),
      passkey: '5f1c0a9b33de',
      heartbeat: 'backup',
      webhook,
    };
    await use({ api, tokens, parameters });
  });
}

/** The id of a second session of a member who is signed in. */
async function anotherSession(api: Api, email: string): Promise<string> {
  const token = await signIn(api, email);
  const { body } = await api.request('/api/v1/sessions', { key: token });
  return (body.sessions as readonly { id: string; current: boolean }[]).find(({ current }) => current)?.id ?? '';
}

/** A stream has no end of its own. */
async function beginningOf(opening: Promise<OpenStream>): Promise<OpenStream> {
  const stream = await opening;
  stream.close();
  return stream;
}

/** How a token is sent: as Bearer, or in the cookie by a page of the server or of another site. */
type Way = 'key' | 'cookie' | 'cross-site';

async function answerTo(
  { api, tokens, parameters }: Scene,
  operation: string,
  who: Who,
  way: Way = 'key',
): Promise<Line[number]> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  const base = template.startsWith('/v1') || template === '/openapi.json' ? '/api' : '';
  const query = ['get /v1/events', 'get /v1/alerts'].includes(operation) ? '?workspace=acme' : '';
  const body = BODIES[operation];
  const token = tokens[who];
  const caller = {
    ...(token !== undefined && { [way === 'key' ? 'key' : 'cookie']: token }),
    ...(way === 'cross-site' && { headers: { 'Sec-Fetch-Site': 'cross-site' } }),
  };
  const { status } =
    operation === 'get /v1/stream'
      ? await beginningOf(openStream(api.http.url, caller))
      : await api.request(`${base}${path}${query}`, {
          method: method.toUpperCase(),
          ...caller,
          ...(body !== undefined && { body }),
        });
  return status === 401 || status === 403 || status === 404 ? status : 'ok';
}

test('every route is in the table of who may do what, and none that does not exist', () => {
  const described = operationsOf(describedApi()).map(([method, path]) => `${method} ${path}`);
  assert.equal(Object.keys(TABLE).sort(), described.sort());
});

test('everybody may do on every route what the table says, and no more', async () => {
  for (const who of WHO) {
    await withScene(async (scene) => {
      for (const operation of Object.keys(TABLE)) {
        const expected = TABLE[operation]?.[WHO.indexOf(who)];
        assert.is(await answerTo(scene, operation, who), expected, `${who}: ${operation}`);
      }
    });
  }
});

/** What a cookie changes of a line: it is no key, and means nothing to integrators. */
function withCookie(line: Line, who: Who): Line[number] {
  if (line === ANYBODY) return 'ok';
  if (line === NOT_CONFIGURED) return 404;
  return line === INTEGRATORS || who === 'key' ? 401 : (line[WHO.indexOf(who)] ?? 401);
}

test('the cookie lets the same people do the same as their bearer token', async () => {
  for (const who of WHO.filter((each) => each !== 'anonymous')) {
    await withScene(async (scene) => {
      for (const [operation, line] of Object.entries(TABLE)) {
        const answer = await answerTo(scene, operation, who, 'cookie');
        assert.is(answer, withCookie(line, who), `${who}: ${operation}`);
      }
    });
  }
});

test('from another site the cookie of an owner opens nothing', () =>
  withScene(async (scene) => {
    for (const [operation, line] of Object.entries(TABLE)) {
      const expected = line === ANYBODY ? 'ok' : line === NOT_CONFIGURED ? 404 : line === INTEGRATORS ? 401 : 403;
      assert.is(await answerTo(scene, operation, 'owner', 'cross-site'), expected, operation);
    }
  }));

test('no route is served that the description lacks', () =>
  withApi(async (api) => {
    const token = await aPerson(api, ADA, { role: 'owner' });
    for (const path of ['/api/v1/workspaces', '/api/v1/workspaces/acme', '/api/v1/users', '/api/v1/audit']) {
      assert.is((await api.request(path, { key: token })).status, 404, path);
    }
  }));

test.run();
