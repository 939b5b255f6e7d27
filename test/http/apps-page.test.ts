import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { packagePath } from '../../src/process/package.ts';
import { ADA, BOB } from '../support/cast.ts';
import { type Api, type Reply, withApi } from '../support/http.ts';
import { checkAnswer } from '../support/openapi.ts';
import { aPerson, codeFor } from '../support/sign-in.ts';
import { tokenOf } from '../support/workspace.ts';

const [, SECTION = ''] = readFileSync(packagePath('docs/apps.md'), 'utf8').split('\n## Responses\n');
const FENCE = /^```json\n|```$/g;

/** The bodies of docs/apps.md by operation and status: `GET /events 200`. */
const SHOWN = new Map<string, unknown>(
  SECTION.trim()
    .split('\n\n')
    .flatMap((block, i, blocks) =>
      [...block.matchAll(/`([A-Z]+ \S+)` → (\d{3})/g)].map(
        ([, operation, status]) =>
          [`${operation} ${status}`, JSON.parse(blocks[i + 1]?.replaceAll(FENCE, '') ?? '')] as const,
      ),
    ),
);

const DISK = { channel: 'alerts', title: 'Disk full', level: 'error', delivery_urgency: 'time_sensitive' };

/** Paths for browsers alone, or without JSON. */
const OTHERS = /^\w+ \/(passkeys|session\/oidc|stream)/;

test('docs/apps.md shows the body of each successful response to people', () => {
  const described = OPERATIONS.filter(({ session, path }) => session === 'any' || path.startsWith('/v1/session'))
    .flatMap(({ method, path, answers }) =>
      Object.entries(answers).flatMap(([status, answer]) =>
        'schema' in answer ? [`${method.toUpperCase()} ${path.replace('/v1', '')} ${status}`] : [],
      ),
    )
    .filter((operation) => !OTHERS.test(operation));
  const shown = [...SHOWN.keys()].filter((operation) => / 2\d\d$/.test(operation));
  assert.equal(shown.sort(), described.sort());
});

test('Each body that docs/apps.md shows is valid, and has the fields of a response of the server', () =>
  withApi(async (api) => {
    const replies = await repliesOf(api);
    assert.equal([...replies.keys()].sort(), [...SHOWN.keys()].sort());
    for (const [operation, { address, reply }] of replies) {
      const shown = SHOWN.get(operation);
      assert.equal(differences(shown, reply.body), [], `${operation}: ${reply.text}`);
      checkAnswer(operation.split(' ')[0] ?? '', address, { ...reply, body: shown });
    }
  }));

test('The pages for Swift and Kotlin call operations that exist, and read keys that pushes have', () => {
  const operations = new Set(OPERATIONS.map(({ method, path }) => `${method} ${path.replaceAll(/{\w+}/g, '*')}`));
  for (const [page, payload] of [
    ['swift', 'payload-apns'],
    ['kotlin', 'payload-fcm'],
  ] as const) {
    const text = readFileSync(packagePath(`docs/apps-${page}.md`), 'utf8');
    const calls = [...text.matchAll(/ask\("([A-Z]+)", "\/?([^"]+)"/g)].map(
      ([, method = '', path = '']) =>
        `${method.toLowerCase()} /v1/${path.replaceAll(/\\\(\w+\)|\$\{[\w.]+\}|\$\w+/g, '*')}`,
    );
    assert.ok(calls.length >= 6, page);
    assert.equal(
      calls.filter((call) => !operations.has(call)),
      [],
    );
    const schema = JSON.stringify(readSchema(payload));
    const keys = [...text.matchAll(/(?:push|userInfo|data)\["(\w+)"\]|getValue\("(\w+)"\)|"(\w+)" in data/g)].map(
      ([, swift, kotlin, held]) => swift ?? kotlin ?? held ?? '',
    );
    assert.ok(keys.length >= 5, page);
    assert.equal(
      keys.filter((key) => !schema.includes(`"${key}":`)),
      [],
    );
  }
});

test.run();

/** Asks the server for each response that the page shows. */
async function repliesOf(api: Api): Promise<ReadonlyMap<string, { readonly address: string; readonly reply: Reply }>> {
  const replies = new Map<string, { readonly address: string; readonly reply: Reply }>();
  const owner = await aPerson(api, ADA, { role: 'owner' });
  await api.addWorkspace('umbrella');
  await api.join(ADA, { workspace: 'umbrella' });
  const ids: Record<string, string> = { workspace: 'acme', heartbeat: 'backup' };
  const ask = async (operation: string, body?: unknown, query = '', key = owner) => {
    const [method = '', path = ''] = operation.split(' ');
    const address = `/api/v1${path.replaceAll(/{(\w+)}/g, (_, name) => ids[name] ?? 'none')}${query}`;
    const reply = await api.request(address, { method, key, ...(body !== undefined && { body }) });
    replies.set(`${operation} ${reply.status}`, { address, reply });
    return reply;
  };
  const idOf = (reply: Reply, name: string): string =>
    Object(reply.body[name]).public_id ?? Object(reply.body[name]).id;

  await api.request('/api/v1/workspaces/acme/channels/alerts', { method: 'PATCH', key: owner, body: { insist: {} } });
  const beats = '/api/v1/workspaces/acme/heartbeats';
  await api.request(beats, {
    method: 'POST',
    key: owner,
    body: { name: 'Backup', channel: 'alerts', every: 3_600, slug: 'backup' },
  });

  await ask('POST /session', { pairing_code: await codeFor(api, ADA) });
  await ask('GET /session');
  await ask('PATCH /session', { name: 'Ada Lovelace' });
  await ask('GET /session/ways');
  await ask('POST /session/pairing');
  await ask('POST /session/vouchers', { pairing_code: await codeFor(api, ADA) });
  await ask('GET /sessions');
  await ask('GET /devices', undefined, '', 'pses_none');
  await ask('POST /devices', { platform: 'symbian' });
  const phone = { platform: 'ios', token: 'ab'.repeat(32) };
  ids.device = idOf(await ask('POST /devices', phone), 'device');
  await api.request(`/api/v1/devices/${ids.device}/subscriptions/acme/alerts`, { method: 'PUT', key: owner });
  await ask('POST /devices', phone);
  await ask('PATCH /devices/{device}', { app_version: '4.2.0' });
  await ask('GET /devices');
  for (let n = 0; n < 6; n += 1) await ask('POST /devices/{device}/test');
  await api.join(BOB);
  await api.store.addDevice({
    workspace: 'acme',
    email: BOB,
    platform: 'ios',
    token: tokenOf(5),
    subscribe: ['alerts'],
  });
  await ask('GET /workspaces/{workspace}/channels');
  await ask('GET /workspaces/{workspace}/heartbeats');
  await ask('GET /workspaces/{workspace}/heartbeats/{heartbeat}');
  await ask('GET /webpush');

  const later = await api.post({
    channel: 'alerts',
    title: 'Later',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  ids.public_id = idOf(later, 'event');
  await ask('POST /events/{public_id}/cancel');
  ids.public_id = idOf(await api.post({ ...DISK }), 'event');
  await ask('GET /events');
  await ask('GET /events/{public_id}');
  await ask('GET /alerts');
  await ask('GET /events/{public_id}/assignees');
  await ask('POST /events/{public_id}/acknowledge');
  await ask('POST /events/{public_id}/reassign', { to: 'bob' });
  await ask('POST /events/{public_id}/resolve');
  await ask('POST /events/{public_id}/reopen');
  ids.channel = 'alerts';
  const window = { for: 3_600, only: 'db-*', note: 'Database upgrade' };
  await api.request('/api/v1/workspaces/acme/channels/alerts/maintenance', {
    method: 'POST',
    key: owner,
    body: window,
  });
  await api.store.createRota({ workspace: 'acme', slug: 'payments', members: [ADA] });
  ids.rota = 'payments';
  await ask('GET /on-call');
  await ask('GET /workspaces/{workspace}/rotas');
  await ask('GET /workspaces/{workspace}/rotas/{rota}');
  await ask('GET /workspaces/{workspace}/rotas/{rota}/shifts');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await ask('POST /workspaces/{workspace}/rotas/{rota}/overrides', { member: ADA, until });
  await ask('POST /session/calendar');
  await ask('GET /maintenance');
  await ask('GET /workspaces/{workspace}/channels/{channel}/maintenance');
  ids.public_id = 'evt_00000000000000000000000000';
  await ask('GET /events/{public_id}');
  return replies;
}

/**
 * Names what one body has and the other lacks. Nothing is compared below null, below empty arrays and in `person_ids`,
 * which has a key for each person who has acted.
 */
function differences(shown: unknown, real: unknown, at = 'body'): readonly string[] {
  if (shown === null || real === null || at.endsWith('.person_ids')) return [];
  if (Array.isArray(shown) && Array.isArray(real)) {
    return shown.length === 0 || real.length === 0 ? [] : differences(shown[0], real[0], `${at}[0]`);
  }
  if (typeof shown !== 'object' || typeof real !== 'object') return typeof shown === typeof real ? [] : [at];
  const [ours, theirs] = [Object.keys(shown), Object.keys(real)];
  const odd = [...ours.filter((key) => !theirs.includes(key)), ...theirs.filter((key) => !ours.includes(key))];
  const [left, right] = [shown, real] as readonly Readonly<Record<string, unknown>>[];
  return [
    ...odd.map((key) => `${at}.${key}`),
    ...ours
      .filter((key) => theirs.includes(key))
      .flatMap((key) => differences(left?.[key], right?.[key], `${at}.${key}`)),
  ];
}
