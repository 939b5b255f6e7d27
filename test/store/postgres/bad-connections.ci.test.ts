import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AcceptAnswer, StoreUnavailable } from '../../../src/store/calls.ts';
import { concurrently } from '../../support/concurrently.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { clusterFolder, temporarySchema } from '../../support/postgres.ts';
import { aNode, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { Resources } from '../../support/resources.ts';
import { anEvent, aWorkspace, type TestWorkspace, tokenOf } from '../../support/workspace.ts';

const badConnections = suite('bad connections to PostgreSQL');
const test = concurrently(badConnections);

/** The protocol's ErrorResponse, as PgBouncer sends it. */
const LOST_BY_PGBOUNCER = errorResponse({ S: 'FATAL', V: 'FATAL', C: '08P01', M: 'server conn crashed?' });

test('An answer that is lost after the commit is reported as unavailable, and the same request again is one event', () =>
  throughProxy(async ({ proxy, calls, workspaceId }) => {
    const event = anEvent(workspaceId, { idempotencyKey: 'once' });
    proxy.loseAnswerTo('post_events');
    assert.instance(await outcome(calls.acceptEvent(event)), StoreUnavailable);
    assert.is(proxy.lost, 1);
    const again = await calls.acceptEvent({ ...event, uuid: anEvent(workspaceId).uuid });
    assert.is(again.kind, 'replayed');
    assert.is((await calls.readUsage({ workspaceId })).used, 1);
  }));

test('A change whose commit gets no answer is reported as unavailable, and is there', () =>
  throughProxy(async ({ proxy, calls }) => {
    proxy.loseAnswerTo('COMMIT\0');
    assert.instance(await outcome(calls.createChannel({ workspace: 'acme', slug: 'news' })), StoreUnavailable);
    assert.is(proxy.lost, 1);
    const channels = granted(await calls.listChannels({ workspace: 'acme' }));
    assert.ok(channels.some(({ slug }) => slug === 'news'));
  }));

test('A change whose connection ends before its commit leaves nothing', () =>
  throughProxy(async ({ proxy, calls }) => {
    proxy.loseAnswerTo('INSERT INTO channel');
    assert.instance(await outcome(calls.createChannel({ workspace: 'acme', slug: 'news' })), StoreUnavailable);
    assert.is(proxy.lost, 1);
    const channels = granted(await calls.listChannels({ workspace: 'acme' }));
    assert.not.ok(channels.some(({ slug }) => slug === 'news'));
    granted(await calls.createChannel({ workspace: 'acme', slug: 'news' }));
  }));

test('A push whose settlement is stored without an answer is settled again, and counted once', () =>
  throughProxy(async ({ proxy, calls, workspaceId }) => {
    const answer = await calls.acceptEvent(anEvent(workspaceId));
    const publicId = 'event' in answer ? answer.event.public_id : '';
    const asked = { route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 } as const;
    const [claim] = (await calls.claimBatches(asked)).claims;
    if (!claim) throw new Error('nothing to claim');
    const settle = () => {
      const verdict = { state: 'accepted' } as const;
      return calls.settleBatch({
        claimId: claim.claimId,
        verdicts: [{ index: 0, verdict, fitted: false, linksLost: false }],
      });
    };
    proxy.loseAnswerTo('record_pushes');
    assert.instance(await outcome(settle()), StoreUnavailable);
    assert.is(proxy.lost, 1);
    await settle();
    const { deliveries } = granted(await calls.showEvent({ publicId, limit: 10 })).event;
    assert.equal([deliveries.accepted, deliveries.pending], [1, 0]);
    assert.equal((await calls.claimBatches(asked)).claims, []);
  }));

for (const [title, words] of [
  ['without an answer', undefined],
  ['by a server that its pooler has lost', LOST_BY_PGBOUNCER],
] as const) {
  test(`If a page is settled in part, ${title}, the rest is settled with it again, and each push counts once`, () =>
    throughProxy(async ({ proxy, calls, workspaceId, addDevice }) => {
      for (let n = 1; n < 150; n += 1) await addDevice({ token: tokenOf(n) });
      const answer = await calls.acceptEvent(anEvent(workspaceId));
      const publicId = 'event' in answer ? answer.event.public_id : '';
      const asked = { route: 'apns_production', lane: 'standard', limit: 150, batchSize: 150 } as const;
      const [claim] = (await calls.claimBatches(asked)).claims;
      const settle = (from: number, to: number) =>
        calls.settleBatch({
          claimId: claim?.claimId ?? '',
          verdicts: Array.from({ length: to - from }, (_, n) => {
            return { index: from + n, verdict: { state: 'accepted' }, fitted: false, linksLost: false } as const;
          }),
        });
      proxy.loseAnswerTo('record_pushes', words);
      assert.instance(await outcome(settle(0, 70)), StoreUnavailable);
      assert.is(proxy.lost, 1);
      await settle(0, 70);
      await settle(70, claim?.targets.length ?? 0);
      const { deliveries } = granted(await calls.showEvent({ publicId, limit: 10 })).event;
      assert.equal([deliveries.accepted, deliveries.pending], [claim?.targets.length, 0]);
      assert.ok(deliveries.accepted >= 149);
    }));
}

test('A claim without an answer is given back, and claimed by the next request', () =>
  throughProxy(async ({ proxy, calls, workspaceId }) => {
    await calls.acceptEvent(anEvent(workspaceId));
    const asked = { route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 } as const;
    proxy.loseAnswerTo('lease_lane');
    assert.instance(await outcome(calls.claimBatches(asked)), StoreUnavailable);
    assert.is(proxy.lost, 1);
    assert.is((await calls.claimBatches(asked)).claims.flatMap(({ targets }) => targets).length, 1);
    assert.equal((await calls.claimBatches(asked)).claims, []);
  }));

test('While the network is cut everything is unavailable, and when it is back everything works', () =>
  throughProxy(async ({ proxy, calls, workspaceId }) => {
    proxy.cut();
    await nothingWorks(calls, workspaceId);
    proxy.fix();
    await everythingWorks(calls, workspaceId);
  }));

test('A database that says nothing any more is not waited for without end, and works when it is back', () =>
  throughProxy(
    async ({ proxy, calls, workspaceId }) => {
      proxy.freeze();
      await nothingWorks(calls, workspaceId);
      proxy.fix();
      await everythingWorks(calls, workspaceId);
    },
    { answerMs: 3_000 },
  ));

test('A question to a database that stands still has an answer within five seconds, after any earlier question', () =>
  throughProxy(
    async ({ proxy, calls, workspaceId }) => {
      proxy.freeze();
      const startMs = performance.now();
      const order: string[] = [];
      const answered = async (what: string, asking: Promise<unknown>) => {
        assert.instance(await outcome(asking), StoreUnavailable);
        order.push(what);
        return performance.now() - startMs;
      };
      const askAll = (n: number) => [
        answered('post', calls.acceptEvent(anEvent(workspaceId))),
        answered('change', calls.createChannel({ workspace: 'acme', slug: `news-${n}` })),
        answered('read', calls.listWorkspaces({})),
        answered('limit', calls.countUses({ uses: [{ name: `sign-in ${n}`, most: 10, windowMs: 60_000 }] })),
        answered('probe', calls.proveWritable({})),
      ];
      const asked = Array.from({ length: 40 }, (_, n) => askAll(n));
      await nextTurn();
      const askedLater = answered('read', calls.listWorkspaces({}));
      const tookMs = Math.max(...(await Promise.all([...asked.flat(), askedLater])));
      // Another time the most that a busy machine may take.
      assert.ok(tookMs < 9_000, `${tookMs} ms`);
      for (const what of ['post', 'limit', 'probe'])
        assert.ok(order.indexOf(what) < order.lastIndexOf('read'), `a ${what} waits as long as a read, not longer`);
      proxy.fix();
      await everythingWorks(calls, workspaceId);
      const channels = granted(await calls.listChannels({ workspace: 'acme' }));
      assert.not(
        channels.some(({ slug }) => slug.startsWith('news-')),
        'nothing is begun after its answer',
      );
    },
    { answerWithinMs: 4_500 },
  ));

for (const roundTripMs of [2, 20]) {
  test(`With ${roundTripMs} ms to the database, events of many clients are accepted together, and sent`, () =>
    throughProxy(async ({ proxy, calls, workspaceId }) => {
      proxy.delay(roundTripMs);
      const events = Array.from({ length: 200 }, (_, n) => anEvent(workspaceId, { idempotencyKey: `key-${n % 100}` }));
      const answers = await Promise.all(events.map((event) => calls.acceptEvent(event)));
      assert.is(answers.filter(({ kind }) => kind === 'accepted').length, 100);
      assert.is(answers.filter(isSameEvent).length, 100);
      assert.is((await calls.readUsage({ workspaceId })).used, 100);
      await everythingWorks(calls, workspaceId);
    }));
}

badConnections.run();

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(fields).map(([field, value]) => `${field}${value}\0`);
  const body = Buffer.from(`${text.join('')}\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

interface OnTheWay {
  readonly proxy: DatabaseProxy;
  readonly calls: TestNode['calls'];
  readonly workspaceId: number;
  readonly addDevice: TestWorkspace['addDevice'];
}

/** A node, with a workspace and a device, whose connection to the database can be disturbed. */
async function throughProxy(
  use: (on: OnTheWay) => Promise<void>,
  limits: { readonly answerMs?: number; readonly answerWithinMs?: number } = {},
): Promise<void> {
  await using opened = new Resources();
  const proxy = opened.add(await startDatabaseProxy(await clusterFolder()));
  const options = new URL(await temporarySchema()).searchParams.get('options') ?? '';
  const { calls } = await aNode({ url: proxy.url(options), ...limits });
  opened.add(calls);
  const { workspaceId, addDevice } = await aWorkspace(calls, { devices: { ios: 1 } });
  await use({ proxy, calls, workspaceId, addDevice });
}

async function nothingWorks(calls: OnTheWay['calls'], workspaceId: number): Promise<void> {
  const outcomes = await Promise.all([
    outcome(calls.acceptEvent(anEvent(workspaceId))),
    outcome(calls.createChannel({ workspace: 'acme', slug: 'news' })),
    outcome(calls.listWorkspaces({})),
    outcome(calls.claimBatches({ route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 })),
  ]);
  for (const outcome of outcomes) assert.instance(outcome, StoreUnavailable);
}

async function everythingWorks(calls: OnTheWay['calls'], workspaceId: number): Promise<void> {
  assert.is((await calls.acceptEvent(anEvent(workspaceId))).kind, 'accepted');
  granted(await calls.createChannel({ workspace: 'acme', slug: 'sports' }));
  assert.is((await calls.listWorkspaces({})).length, 1);
  const { claims } = await calls.claimBatches({ route: 'apns_production', lane: 'standard', limit: 10, batchSize: 10 });
  assert.ok(claims.length > 0);
}

function isSameEvent(answer: AcceptAnswer): boolean {
  return answer.kind === 'replayed' && answer.isSame;
}

async function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => error);
}
