import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, BOB, CARL, DAN } from '../support/cast.ts';
import { type Api, withApi } from '../support/http.ts';
import { granted } from '../support/refusals.ts';
import { signIn } from '../support/sign-in.ts';

const test = suite('SECURITY.md: who can do what, at worst');

/** The rights of each: `can` lists requests that succeed, `cannot` requests that are refused. */
interface Walk {
  readonly can: readonly Request[];
  readonly cannot: readonly Request[];
}
type Request = readonly [method: string, path: string, body?: unknown];

interface Scene {
  readonly api: Api;
  readonly tokens: Readonly<Record<'sender' | 'member' | 'admin' | 'owner' | 'heldByAdmin' | 'heldByOwner', string>>;
  readonly elsewhere: string;
  readonly eventId: string;
  /** An event that no key posted. */
  readonly managersEventId: string;
}

const ACME = '/api/v1/workspaces/acme';
const UMBRELLA = '/api/v1/workspaces/umbrella';
const of = (email: string): string => `${ACME}/members/${encodeURIComponent(email)}`;
const KEY = { name: 'more', scopes: ['events:write'] };
const POSTED = { channel: 'alerts', title: 'Done' };

/** `acme` with Ada, Carl the admin, and Bob and Dan. Dan owns `umbrella` as well, where he has a device. */
async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  await withApi(
    async (api) => {
      await api.addWorkspace('umbrella', { channels: ['secrets'] });
      await api.join(ADA, { role: 'owner' });
      await api.join(CARL, { role: 'admin' });
      for (const email of [BOB, DAN]) await api.join(email);
      await api.join(DAN, { workspace: 'umbrella', role: 'owner' });
      const there = { workspace: 'umbrella', email: DAN, token: 'cd'.repeat(32), subscribe: ['secrets'] };
      const { device } = granted(await api.store.addDevice({ ...there, platform: 'ios' }));
      const [member, admin, owner] = await Promise.all([signIn(api, BOB), signIn(api, CARL), signIn(api, ADA)]);
      const tokens = { sender: api.key, member, admin, owner };
      const heldByAdmin = await heldBy(api, admin);
      const heldByOwner = await heldBy(api, owner);
      const { body } = await api.post(POSTED);
      const eventId = (body.event as { public_id: string }).public_id;
      const sent = await api.request(`${ACME}/events`, { method: 'POST', key: owner, body: POSTED });
      const managersEventId = (sent.body.event as { public_id: string }).public_id;
      const allTokens = { ...tokens, heldByAdmin, heldByOwner };
      await use({ api, tokens: allTokens, elsewhere: device.id, eventId, managersEventId });
    },
    { limits: { changesPerMinute: 1_000 } },
  );
}

/** A session as Dan, by a code that this manager made and kept. */
async function heldBy(api: Api, manager: string): Promise<string> {
  const made = await api.request(`${of(DAN)}/pairing`, { method: 'POST', key: manager });
  const body = { pairing_code: made.body.pairing_code };
  const opened = await api.request('/api/v1/session', { method: 'POST', body });
  return (opened.body.session as { token: string }).token;
}

async function walk({ api }: Scene, key: string | undefined, { can, cannot }: Walk): Promise<void> {
  const statusOf = async ([method, path, body]: Request) => {
    const caller = { ...(key !== undefined && { key }), ...(body !== undefined && { body }) };
    return (await api.request(path, { method, ...caller })).status;
  };
  for (const request of cannot) assert.ok([401, 403, 404].includes(await statusOf(request)), `cannot ${request[1]}`);
  for (const request of can) assert.ok((await statusOf(request)) < 300, `can ${request[1]}`);
}

/** Requests by the first words of a line of the table. */
const WALKS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'A stranger': (scene) =>
    walk(scene, undefined, {
      can: [
        ['GET', '/api/openapi.json'],
        ['GET', '/healthz'],
      ],
      cannot: [
        ['POST', '/api/v1/events', POSTED],
        ['GET', '/api/v1/session'],
        ['POST', '/api/v1/session', { email: ADA, password: 'a wrong one' }],
        ['POST', '/api/v1/session', { pairing_code: '7K3QF-X9M2T' }],
        ['GET', `${ACME}/members`],
      ],
    }),

  'A sender with a key': (scene) =>
    walk(scene, scene.tokens.sender, {
      can: [
        ['POST', '/api/v1/events', POSTED],
        ['GET', '/api/v1/connection'],
        ['GET', '/api/v1/usage'],
        ['GET', '/api/v1/channels'],
        ['GET', '/api/v1/events'],
        ['POST', `/api/v1/events/${scene.eventId}/cancel`],
      ],
      cannot: [
        ['POST', '/api/v1/events', { channel: 'secrets', title: 'Elsewhere' }],
        ['POST', `/api/v1/events/${scene.managersEventId}/cancel`],
        ['POST', `/api/v1/events/${scene.eventId}/acknowledge`],
        ['POST', `${ACME}/keys`, KEY],
        ['GET', `${ACME}/events/${scene.eventId}`],
        ['GET', '/api/v1/session'],
      ],
    }),

  'A member': (scene) =>
    walk(scene, scene.tokens.member, {
      can: [
        ['GET', `/api/v1/events/${scene.eventId}`],
        ['GET', `${ACME}/channels`],
        ['POST', '/api/v1/devices', { platform: 'ios', token: 'ab'.repeat(32) }],
      ],
      cannot: [
        ['GET', `${ACME}/devices`],
        ['GET', `${ACME}/members`],
        ['POST', `${ACME}/keys`, KEY],
        ['POST', `${ACME}/channels`, { slug: 'mine' }],
        ['POST', `${of(DAN)}/pairing`],
        ['DELETE', `/api/v1/devices/${scene.elsewhere}`],
        ['GET', `${UMBRELLA}/channels`],
      ],
    }),

  'An admin': async (scene) => {
    await walk(scene, scene.tokens.admin, {
      can: [
        ['POST', `${ACME}/keys`, KEY],
        ['POST', `${ACME}/channels`, { slug: 'more' }],
        ['GET', `${ACME}/devices`],
        ['POST', `${ACME}/events`, POSTED],
      ],
      cannot: [
        ['PATCH', of(BOB), { role: 'owner' }],
        ['PATCH', of(ADA), { role: 'member' }],
        ['POST', `${of(ADA)}/pairing`],
        ['DELETE', `${of(DAN)}/sessions`],
        ['GET', `${UMBRELLA}/members`],
      ],
    });
    granted(await scene.api.store.setMemberRole({ workspace: 'acme', email: DAN, role: 'owner' }));
    await walk(scene, scene.tokens.heldByAdmin, {
      can: [
        ['GET', `/api/v1/events/${scene.eventId}`],
        ['POST', '/api/v1/devices', { platform: 'ios', token: 'ef'.repeat(32) }],
        ['PUT', '/api/v1/session/password', { new: 'correct horse battery' }],
        ['GET', `${ACME}/members`],
      ],
      cannot: [['PATCH', of(CARL), { role: 'owner' }], ['PATCH', of(ADA), { role: 'member' }], ...ofUmbrella(scene)],
    });
  },

  'An owner': async (scene) => {
    await walk(scene, scene.tokens.owner, {
      can: [
        ['PATCH', of(BOB), { role: 'owner' }],
        ['PATCH', of(BOB), { role: 'member' }],
      ],
      cannot: [['GET', `${UMBRELLA}/members`]],
    });
    const { status } = await scene.api.request(of(ADA), { method: 'DELETE', key: scene.tokens.owner });
    assert.is(status, 409, 'the last owner stays');
    granted(await scene.api.store.setMemberRole({ workspace: 'acme', email: DAN, role: 'owner' }));
    await walk(scene, scene.tokens.heldByOwner, {
      can: [['PATCH', of(CARL), { role: 'owner' }]],
      cannot: ofUmbrella(scene),
    });
  },
};

/** The rights of Dan himself in a workspace that he owns. */
function ofUmbrella({ elsewhere }: Scene): readonly Request[] {
  return [
    ['GET', `${UMBRELLA}/members`],
    ['POST', `${UMBRELLA}/keys`, KEY],
    ['GET', `${UMBRELLA}/channels`],
    ['DELETE', `${UMBRELLA}/members/me`],
    ['PATCH', `/api/v1/devices/${elsewhere}`, { token: 'ee'.repeat(32) }],
    ['DELETE', `/api/v1/devices/${elsewhere}`],
    ['POST', `/api/v1/devices/${elsewhere}/test`],
  ];
}

/** Those who do not come by this API: of these, other tests show what can be shown. */
const NOT_BY_NETWORK = [
  'The provider that people sign in by',
  'A provider',
  'The service',
  'The user of the database',
  'Root',
];
const SECURITY = readFileSync('SECURITY.md', 'utf8');

test('Each line of the table is walked, and each that is walked stands there', () => {
  const [, table = ''] = SECURITY.split('## Who can do what, at worst');
  const [rows = ''] = table.split('## Bounds');
  const lines = [...rows.matchAll(/^\| \*\*([^*]+)\*\*/gm)].map(([, who = '']) => who);
  const network = lines.filter((who) => !NOT_BY_NETWORK.some((other) => who.startsWith(other)));
  assert.equal(network, Object.keys(WALKS));
});

for (const [who, walkLine] of Object.entries(WALKS)) {
  test(`${who} can what the table says, and cannot what it says`, () => withScene(walkLine));
}

test('Each promise names a test that is there', () => {
  const [, promised = ''] = SECURITY.split('## What is promised');
  const [promises = ''] = promised.split('### What asks');
  const bullets = promises.split(/^- /m).slice(1);
  assert.ok(bullets.length >= 10);
  for (const bullet of bullets) {
    const places = [...bullet.matchAll(/`(test\/[^`]+)`/g)].map(([, place = '']) => place);
    assert.ok(places.length > 0, bullet);
    for (const place of places) assert.ok(existsSync(place), place);
  }
});

test.run();
