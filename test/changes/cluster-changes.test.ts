import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../src/changes/changes.ts';
import { ChangeNotifier, hearChanges } from '../../src/changes/cluster-changes.ts';
import type { Others } from '../../src/store/client.ts';
import { ADA } from '../support/cast.ts';
import { type Api, type ApiOptions, withApi } from '../support/http.ts';
import { type TestCluster, testCluster } from '../support/others.ts';
import { OPERATOR } from '../support/people.ts';
import { granted } from '../support/refusals.ts';
import { aPerson } from '../support/sign-in.ts';
import { FAST, listen } from '../support/stream.ts';
import { until, untilIs } from '../support/until.ts';

const EVENT = { channel: 'alerts', title: 'Done' };

test('a listener at one server gets the changes of another server', () =>
  withTwo(async ([here, there]) => {
    const stream = await listen(there, await aPerson(there, ADA, { role: 'owner' }));
    await stream.hears('everything', null);
    await here.post(EVENT);
    await stream.hears('inbox', 'acme');
    await stream.hears('events', 'acme');
    granted(await here.store.createChannel({ workspace: 'acme', slug: 'new' }, OPERATOR));
    await stream.hears('channels', 'acme');
  }));

test('if something may have been lost between the servers, everything is loaded again', () =>
  withTwo(async ([, there], cluster) => {
    const stream = await listen(there, await aPerson(there, ADA));
    await stream.hears('everything', null);
    const before = stream.text().length;
    cluster.miss(1);
    await until('it is reported', () => stream.text().slice(before).includes('everything'));
  }));

test('a server that is alone notifies none, and one that has company again notifies it', () =>
  withTwo(async ([here], cluster) => {
    cluster.live(1);
    await here.post(EVENT);
    cluster.live(2);
    granted(await here.store.createChannel({ workspace: 'acme', slug: 'new' }, OPERATOR));
    await until('the second change is reported', () => cluster.sent.length > 0);
    assert.match(cluster.sent.map(({ payload }) => payload).join(), /channels/);
    assert.not.match(cluster.sent.map(({ payload }) => payload).join(), /inbox/);
  }));

test('many changes are reported in few notices that are not too large, and very many as changes of any workspace', async () => {
  for (const [count, reported] of [
    [200, 200],
    [201, 1],
  ] as const) {
    const { cluster, notifier, heard } = pair();
    notifier.settled(Array.from({ length: count }, (_, n) => ({ workspaceId: 1_000_000 + n })));
    await untilIs('they are reported', () => heard.length, reported);
    assert.ok(cluster.sent.length <= 4);
    for (const { payload } of cluster.sent) assert.ok(Buffer.byteLength(payload) < 4_096);
  }
});

test('the report of a newer version is left out, and a report without a change does no harm', () => {
  const { cluster, heard } = pair();
  const known = ['keys', 'managers', { id: 1 }];
  cluster.members[0]?.notify(
    'changes',
    JSON.stringify([['holograms', 'members', null], known, ['keys', 'managers', 7]]),
  );
  for (const nonsense of ['', '{}', '[null]', '"keys"']) {
    for (const kind of ['changes', 'signed-out']) cluster.members[0]?.notify(kind, nonsense);
  }
  assert.equal(heard, [{ kind: 'keys', audience: 'managers', of: { id: 1 } }]);
});

test.run();

/** Two servers, each with a store of its own, that notify each other. */
async function withTwo(use: (apis: readonly [Api, Api], cluster: TestCluster) => Promise<void>): Promise<void> {
  const cluster = testCluster(2);
  const [first, second] = cluster.members.map((others): ApiOptions => ({ ...FAST, store: { others } }));
  await withApi((here) => withApi((there) => use([here, there], cluster), second), first);
}

/** `notifier`: of the first server; `heard`: what the second one gets. */
function pair() {
  const cluster = testCluster(2);
  const [first, second] = cluster.members as readonly [Others, Others];
  const heard: Change[] = [];
  hearChanges(second, { changed: (change) => heard.push(change), signedOut: () => {} });
  const find = { findKey: async () => null, findSession: async () => null, deviceOwners: async () => [] };
  const store = { onDone: () => () => {}, ...find };
  const notifier = new ChangeNotifier(store, first.notify);
  notifier.listenWhile(true);
  return { cluster, notifier, heard };
}
