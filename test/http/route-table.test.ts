import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../src/contract/operations/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { newWebhookSecret } from '../../src/contract/webhooks.ts';
import { SCOPES, type Scope } from '../../src/push.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA, BOB, CARL, DAN, EVE } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { describedApi, operationsOf } from '../support/openapi.ts';
import { granted } from '../support/refusals.ts';
import { aPerson, signIn } from '../support/sign-in.ts';
import { type OpenStream, openStream } from '../support/stream.ts';
import { type Answer, CALLERS, type Caller, TABLE } from './rights-of-callers.ts';

/** Bodies that are taken, for the routes that change something and need one. */
const BODIES: Readonly<Record<string, unknown>> = {
  'post /v1/events': { channel: 'alerts', title: 'Done' },
  'patch /v1/session': { name: 'Renamed' },
  'put /v1/session/password': { new: 'correct horse battery' },
  'post /v1/devices': { platform: 'android', token: androidToken('a token') },
  'patch /v1/devices/{device}': { name: 'Mine' },
  'put /v1/inbox/read': { workspace: 'acme', up_to: 'evt_01m7yq1whvehx9w1n0h5r0c6ct' },
  'put /v1/inbox/unread': { events: ['evt_01m7yq1whvehx9w1n0h5r0c6ct'] },
  'post /v1/events/{public_id}/reassign': { to: 'Bob' },
  'put /v1/heartbeats/{heartbeat}': { channel: 'alerts' },
  'post /v1/workspaces/{workspace}/events': { channel: 'alerts', title: 'Done' },
  'patch /v1/workspaces/{workspace}': { name: 'Renamed' },
  'post /v1/workspaces/{workspace}/channels': { slug: 'fresh' },
  'patch /v1/workspaces/{workspace}/channels/{channel}': { name: 'Renamed' },
  'post /v1/workspaces/{workspace}/heartbeats': { slug: 'fresh', channel: 'alerts' },
  'patch /v1/workspaces/{workspace}/heartbeats/{heartbeat}': { grace: 60 },
  'post /v1/maintenance': { channel: 'alerts', for: 600 },
  'post /v1/workspaces/{workspace}/channels/{channel}/maintenance': { for: 600 },
  'patch /v1/workspaces/{workspace}/channels/{channel}/maintenance/{maintenance}': { note: 'Upgrade' },
  'post /v1/workspaces/{workspace}/rotas': { slug: 'fresh', members: [ADA] },
  'patch /v1/workspaces/{workspace}/rotas/{rota}': { name: 'Renamed' },
  'post /v1/workspaces/{workspace}/rotas/{rota}/overrides': { member: DAN, until: new Date(Date.now() + 3_600_000) },
  'post /v1/workspaces/{workspace}/webhooks': { url: 'https://hooks.example.com/in' },
  'patch /v1/workspaces/{workspace}/webhooks/{webhook}': { kinds: ['alert.opened'] },
  'post /v1/workspaces/{workspace}/keys': { name: 'ci', scopes: ['events:write'] },
  'post /v1/workspaces/{workspace}/members': { email: 'new@example.com', role: 'member' },
  'patch /v1/workspaces/{workspace}/members/{email}': { role: 'member' },
};

interface Scene {
  readonly api: Api;
  readonly tokens: Readonly<Record<Caller, string | undefined>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A workspace with one thing of each kind, and everybody who could ask for it. */
async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  await withApi(async (api) => {
    await api.addWorkspace('umbrella');
    const owner = await aPerson(api, ADA, { role: 'owner' });
    await api.store.createChannel({ workspace: 'acme', slug: 'builds', name: 'Builds' });
    const tokens = {
      stranger: undefined,
      elsewhere: await aPerson(api, EVE, { workspace: 'umbrella', role: 'owner' }),
      member: await aPerson(api, BOB),
      admin: await aPerson(api, CARL, { role: 'admin' }),
      owner,
      crossSite: owner,
      ...(await keysOfEachScope(api)),
      posterKey: (await api.issueKey({ scopes: ['events:write'] })).text,
      boundKey: (
        await api.issueKey({ scopes: SCOPES.filter((scope) => scope !== 'heartbeats:ping'), channels: ['builds'] })
      ).text,
    };
    await aPerson(api, DAN);
    // So that a person who leaves still belongs to a workspace.
    for (const email of [BOB, CARL]) await api.join(email, { workspace: 'umbrella' });
    const body = { platform: 'ios', token: 'ab'.repeat(32) };
    const registered = await api.request('/api/v1/devices', { method: 'POST', key: owner, body });
    const insist = { repeat: 120, until: 3_600 };
    granted(await api.real.updateChannel({ workspace: 'acme', slug: 'alerts', insist }));
    const alarm = { channel: 'alerts', title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive' };
    const posted = await api.post(alarm, { key: tokens.posterKey });
    await api.real.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug: 'backup' });
    const hook = { workspace: 'acme', url: 'https://hooks.example.com/in', secret: newWebhookSecret(randomBytes) };
    const { id: webhook } = granted(await api.real.createWebhook(hook));
    const { id: key } = await api.issueKey();
    const window = { workspace: 'acme', slug: 'alerts', for: 3_600 };
    const { id: maintenance } = granted(await api.real.createMaintenance(window));
    granted(await api.real.createRota({ workspace: 'acme', slug: 'payments', members: [ADA] }));
    const turn = { workspace: 'acme', slug: 'payments', member: ADA, untilMs: Date.now() + 7_200_000 };
    const { id: override } = granted(await api.real.addOverride(turn));
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
      maintenance,
      rota: 'payments',
      override,
    };
    await use({ api, tokens, parameters });
  });
}

async function keysOfEachScope(api: Api): Promise<Readonly<Record<`key ${Scope}`, string>>> {
  const keys: [string, string][] = [];
  for (const scope of SCOPES) {
    const channels = scope === 'heartbeats:ping' ? { channels: ['alerts'] } : {};
    keys.push([`key ${scope}`, (await api.issueKey({ scopes: [scope], ...channels })).text]);
  }
  return Object.fromEntries(keys) as Record<`key ${Scope}`, string>;
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

/** How a token is sent: as Bearer, or in the cookie by a page of the server or of another origin. */
type Way = 'bearer' | 'cookie' | 'crossSite';

async function answerTo(
  { api, tokens, parameters }: Scene,
  operation: string,
  caller: Caller,
  way: Way = caller === 'crossSite' ? 'crossSite' : 'bearer',
): Promise<Answer> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  const base = template.startsWith('/v1') || template === '/openapi.json' ? '/api' : '';
  const isKey = /key/i.test(caller);
  const query = !isKey && ['get /v1/events', 'get /v1/alerts'].includes(operation) ? '?workspace=acme' : '';
  const body = BODIES[operation];
  const token = tokens[caller];
  const asked = {
    ...(token !== undefined && { [way === 'bearer' ? 'key' : 'cookie']: token }),
    ...(way === 'crossSite' && { headers: { 'Sec-Fetch-Site': 'cross-site' } }),
  };
  const { status } =
    operation === 'get /v1/stream'
      ? await beginningOf(openStream(api.http.url, asked))
      : await api.request(`${base}${path}${query}`, {
          method: method.toUpperCase(),
          ...asked,
          ...(body !== undefined && { body }),
        });
  return status === 401 || status === 403 || status === 404 ? status : 'ok';
}

test('every operation of the description has a row in the table of rights, and there is no other', () => {
  const described = operationsOf(describedApi()).map(([method, path]) => `${method} ${path}`);
  assert.equal(Object.keys(TABLE).sort(), described.sort());
});

test('the table names the scopes that the description names', () => {
  for (const { method, path, scopes = [] } of OPERATIONS as readonly Operation[]) {
    assert.equal(TABLE[`${method} ${path}`]?.scopes, scopes, `${method} ${path}`);
  }
});

test('every caller may do what the table says, and no more', async () => {
  for (const caller of CALLERS) {
    await withScene(async (scene) => {
      for (const [operation, { answers }] of Object.entries(TABLE)) {
        assert.is(await answerTo(scene, operation, caller), answers[caller], `${caller}: ${operation}`);
      }
    });
  }
});

test('no list shows a bound key what is in other channels', () =>
  withScene(async ({ api, tokens, parameters }) => {
    const lists = Object.keys(TABLE).filter(
      (operation) => /^get [^{]+$/.test(operation) && TABLE[operation]?.scopes.includes('events:read'),
    );
    const shown = async (caller: Caller) => {
      const replies = lists.map((operation) => api.request(`/api${operation.slice(4)}`, { key: tokens[caller] ?? '' }));
      return (await Promise.all(replies)).filter(({ text }) =>
        [parameters.public_id, 'alerts', 'backup'].some((name) => text.includes(`:"${name}"`)),
      ).length;
    };
    assert.is(lists.length, 6);
    assert.equal([await shown('key events:read'), await shown('boundKey')], [4, 0]); // all but the usage and rotas
  }));

test('the cookie lets the same people do the same as their bearer token, and a key in it is none', async () => {
  for (const caller of ['elsewhere', 'member', 'admin', 'owner', 'key events:write'] as const) {
    const like = caller === 'key events:write' ? 'stranger' : caller;
    await withScene(async (scene) => {
      for (const [operation, { answers }] of Object.entries(TABLE)) {
        const answer = await answerTo(scene, operation, caller, 'cookie');
        assert.is(answer, answers[like], `${caller}: ${operation}`);
      }
    });
  }
});

test('SECURITY.md says each right once', () => {
  const operations = Map.groupBy(Object.keys(TABLE), (operation) => TABLE[operation]?.who ?? '');
  const expected = [...operations].map(([who, named]) => `| ${who} | ${named.map(inWords).join(', ')} |`);
  const [, section = ''] = readFileSync('SECURITY.md', 'utf8').split('\n## Who may do what\n');
  const [text = ''] = section.split('\n## ');
  const [, , ...rows] = text.split('\n').filter((line) => line.startsWith('|'));
  assert.equal(rows, expected);
});

function inWords(operation: string): string {
  const [method = '', path = ''] = operation.split(' ');
  return `\`${method.toUpperCase()} ${path}\``;
}

test('no route is served that the description lacks', () =>
  withApi(async (api) => {
    const token = await aPerson(api, ADA, { role: 'owner' });
    for (const path of ['/api/v1/workspaces', '/api/v1/workspaces/acme/nothing', '/api/v1/users', '/api/v1/audit']) {
      assert.is((await api.request(path, { key: token })).status, 404, path);
    }
  }));

test.run();
