import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KINDS } from '../../../src/changes/changes.ts';
import { readSchema } from '../../../src/contract/schemas.ts';
import { androidToken } from '../../support/android-token.ts';
import { ADA, BOB, CARL, EVE } from '../../support/cast.ts';
import { type Api, withApi } from '../../support/http.ts';
import { whilePaused } from '../../support/live-routes.ts';
import { OPERATOR } from '../../support/people.ts';
import { granted } from '../../support/refusals.ts';
import { aPerson, signInBrowser } from '../../support/sign-in.ts';
import { FAST, listen, type OpenStream, openStream, type StreamChange } from '../../support/stream.ts';
import { until } from '../../support/until.ts';

const EVENT = { channel: 'alerts', title: 'Done' };

/** Does something of this person's own, which the stream reports after all that was done before. */
async function changeLast(api: Api, key: string, stream: OpenStream): Promise<void> {
  const count = () =>
    stream.reported().filter(({ workspace, kind }) => workspace === null && kind === 'devices').length;
  const before = count();
  const body = { platform: 'android', token: androidToken(`token ${before}`) };
  await api.request('/api/v1/devices', { method: 'POST', key, body });
  await until('the last change', () => count() > before || count());
}

/** All that was reported, each once, beside the sign-ins and devices of the person. */
function kindsOf(stream: OpenStream): readonly string[] {
  const reported = stream.reported().filter(({ workspace }) => workspace !== null);
  return [...new Set(reported.map(({ workspace, kind }) => `${workspace} ${kind}`))].sort();
}

test('an event is reported to the members of its workspace, and its deliveries to those who manage it', () =>
  withApi(async (api) => {
    await api.addWorkspace('umbrella');
    const owner = await listen(api, await aPerson(api, ADA, { role: 'owner' }));
    const member = await listen(api, await aPerson(api, BOB));
    const eve = await aPerson(api, EVE, { workspace: 'umbrella', role: 'owner' });
    const stranger = await listen(api, eve);
    await api.post(EVENT);
    await Promise.all([owner.hears('inbox', 'acme'), owner.hears('events', 'acme'), member.hears('inbox', 'acme')]);
    await changeLast(api, eve, stranger);
    assert.equal(kindsOf(member), ['acme inbox']);
    assert.not(stranger.reported().some(({ workspace }) => workspace === 'acme'));
  }, FAST));

test('changes by alert rounds are reported to the members of their workspace', () =>
  withApi(async (api) => {
    const insist = { repeat: 120, until: 3_600 };
    granted(await api.store.updateChannel({ workspace: 'acme', slug: 'alerts', insist }));
    const member = await listen(api, await aPerson(api, BOB));
    const owner = await listen(api, await aPerson(api, ADA, { role: 'owner' }));
    await api.post({ ...EVENT, level: 'error', delivery_urgency: 'time_sensitive', collapse_key: 'disk' });
    await api.post({ ...EVENT, level: 'success', collapse_key: 'disk' });
    await member.hears('inbox', 'acme');
    assert.not(kindsOf(member).includes('acme alerts'));
    assert.equal((await api.store.runRound({})).ended, { sender: 1 });
    await Promise.all([member.hears('alerts', 'acme'), owner.hears('audit', 'acme')]);
  }, FAST));

test('the acts of a member are reported to their own streams, and to no other member', () =>
  withApi(async (api) => {
    const bob = await aPerson(api, BOB);
    const carl = await aPerson(api, CARL);
    const mine = await openStream(api.http.url, { cookie: await signInBrowser(api, BOB) });
    const other = await listen(api, carl);
    const owner = await listen(api, await aPerson(api, ADA, { role: 'owner' }));
    await Promise.all([mine, other, owner].map((stream) => stream.hears('everything', null)));
    const body = { platform: 'ios', token: 'ab'.repeat(32) };
    const { device } = (await api.request('/api/v1/devices', { method: 'POST', key: bob, body })).body;
    await mine.hears('devices', null);
    await owner.hears('devices', 'acme');
    const { id } = device as { id: string };
    await api.request(`/api/v1/devices/${id}/subscriptions/acme/alerts`, { method: 'PUT', key: bob });
    const { event } = (await api.post(EVENT)).body as { event: { public_id: string } };
    const read = { workspace: 'acme', up_to: event.public_id };
    await api.request('/api/v1/inbox/read', { method: 'PUT', key: bob, body: read });
    await mine.hears('read', null);
    await changeLast(api, carl, other);
    assert.equal(kindsOf(other), ['acme inbox']);
    assert.not(isIn(other.reported(), 'read'));
    assert.not(isIn(owner.reported(), 'read'));
  }, FAST));

test('changes in a workspace are reported by kind, and changes for managers only to managers', () =>
  withApi(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const owner = await listen(api, key);
    const bob = await aPerson(api, BOB);
    const member = await listen(api, bob);
    const base = '/api/v1/workspaces/acme';
    await api.request(`${base}/channels`, { method: 'POST', key, body: { slug: 'builds' } });
    const body = { name: 'ci', scopes: ['events:write'] };
    const issued = await api.request(`${base}/keys`, { method: 'POST', key, body });
    for (const kind of ['channels', 'keys', 'audit']) await owner.hears(kind, 'acme');
    await member.hears('channels', 'acme');
    granted(await api.store.setMemberRole({ workspace: 'acme', email: BOB, role: 'member' }, OPERATOR));
    await owner.hears('members', 'acme');
    await changeLast(api, bob, member);
    assert.equal(kindsOf(member), ['acme channels']);
    const before = owner.reported().length;
    granted(await api.store.revokeKey({ id: idOf(issued.body) }, OPERATOR));
    await until('the revocation by its id alone', () => isIn(owner.reported().slice(before), 'keys'));
  }, FAST));

test('a member who moves to another workspace is notified, then only about that workspace', () =>
  withApi(async (api) => {
    await api.addWorkspace('umbrella');
    const stream = await listen(api, await aPerson(api, BOB, { role: 'admin' }));
    await stream.hears('everything', null);
    await api.join(BOB, { workspace: 'umbrella' });
    await stream.hears('session', null);
    granted(await api.store.removeMember({ workspace: 'acme', email: BOB }, OPERATOR));
    await until('the second notice', () => stream.reported().filter(({ kind }) => kind === 'session').length === 2);
    const before = stream.reported().length;
    await api.post(EVENT);
    granted(await api.store.createChannel({ workspace: 'umbrella', slug: 'new' }, OPERATOR));
    await stream.hears('channels', 'umbrella');
    assert.equal(stream.reported().slice(before), [{ workspace: 'umbrella', kind: 'channels' }]);
  }, FAST));

test('a removed member hears nothing more of the workspace, not even what was under way', () =>
  withApi(
    async (api) => {
      const bob = await aPerson(api, BOB);
      await api.addWorkspace('umbrella');
      await api.join(BOB, { workspace: 'umbrella' });
      const stream = await listen(api, bob);
      await stream.hears('everything', null);
      // They are asked in one turn, so they are one group, and are reported together.
      const created = api.store.createChannel({ workspace: 'acme', slug: 'new' }, OPERATOR);
      granted(await api.store.removeMember({ workspace: 'acme', email: BOB }, OPERATOR));
      granted(await created);
      await stream.hears('session', null);
      await changeLast(api, bob, stream);
      assert.equal(kindsOf(stream), []);
    },
    { streams: { times: { notifyEveryMs: 300 } } },
  ));

test('managers are notified of paused routes, when they pause and when they open', async () => {
  let paused: readonly 'fcm'[] = [];
  await withApi(
    async (api) => {
      const owner = await listen(api, await aPerson(api, ADA, { role: 'owner' }));
      const member = await listen(api, await aPerson(api, BOB));
      for (const next of [['fcm'], []] as const) {
        const before = owner.reported().length;
        paused = next;
        await until('the routes', () => isIn(owner.reported().slice(before), 'routes'));
      }
      assert.not(isIn(member.reported(), 'routes'));
    },
    { liveRoutes: () => whilePaused(paused), streams: { times: { heartbeatMs: 10, notifyEveryMs: 10 } } },
  );
});

test('the description names the kinds that there are', () => {
  const { kind } = readSchema('change').properties as { kind: { enum: readonly string[] } };
  assert.equal([...kind.enum].sort(), [...KINDS].sort());
});

test.run();

function isIn(reported: readonly StreamChange[], kind: string): boolean {
  return reported.some((change) => change.kind === kind);
}

function idOf(body: Readonly<Record<string, unknown>>): string {
  return (body.api_key as { id: string }).id;
}
