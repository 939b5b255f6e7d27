import * as assert from 'uvu/assert';
import { requestsOf } from '../../../src/store/calls/serving.ts';
import type { KeyActor } from '../../../src/store/calls.ts';
import type { PostgresStore } from '../../../src/store/postgres/engine.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aCluster, aNode, nodeTests } from '../../support/postgres-nodes.ts';
import { until } from '../../support/until.ts';
import { anEvent } from '../../support/workspace.ts';

const test = nodeTests('limits that nodes share');

const MINUTE_MS = 60_000;
const START_MS = 1_800_000_000_000;

test('No minute ever holds more uses than there may be, and a second later all are free', async () => {
  const { store } = await aNode({ url: await temporarySchema() });
  const random = sameNumbersEachTime();
  const most = 20;
  const uses: number[] = [];
  let nowMs = START_MS;
  for (let step = 0; step < 600; step += 1) {
    nowMs += Math.floor(random() ** 3 * 20_000);
    const { free, resetMs } = await use(store, { wanted: 1 + Math.floor(random() * 4), most, nowMs });
    const used = uses.filter((atMs) => nowMs - atMs <= MINUTE_MS).length;
    assert.ok(used <= most, `${used} in a minute at step ${step}`);
    const within = uses.filter((atMs) => nowMs - atMs <= MINUTE_MS + 1_000).length;
    assert.ok(free.before >= most - within, `${free.before} free at step ${step}, where ${within} could count`);
    assert.ok(resetMs > 0 && resetMs <= MINUTE_MS + 1_000);
    for (let n = 0; n < free.taken; n += 1) uses.push(nowMs);
  }
});

test('A client that asks again after the reset gets one more use, and not before', async () => {
  const { store } = await aNode({ url: await temporarySchema() });
  const [most, nowMs] = [3, START_MS + 777];
  for (const later of [0, 5_000, 30_000]) await use(store, { wanted: 1, most, nowMs: nowMs + later });
  const { free, resetMs } = await use(store, { wanted: 1, most, nowMs: nowMs + 31_000 });
  assert.is(free.before, 0);
  const againMs = nowMs + 31_000 + resetMs;
  assert.is((await use(store, { wanted: 0, most, nowMs: againMs - 1 })).free.before, 0);
  assert.is((await use(store, { wanted: 0, most, nowMs: againMs })).free.before, 1);
  const lowered = await use(store, { wanted: 1, most: 1, nowMs: nowMs + 31_000 });
  assert.is(lowered.free.before, 0);
  assert.is((await use(store, { wanted: 0, most: 1, nowMs: nowMs + 31_000 + lowered.resetMs })).free.before, 1);
});

test('A clock that goes back frees nothing, and lets no request wait until it has caught up', async () => {
  const { store } = await aNode({ url: await temporarySchema() });
  const most = 5;
  await use(store, { wanted: 5, most, nowMs: START_MS });
  const backMs = START_MS - 3_600_000;
  assert.is((await use(store, { wanted: 1, most, nowMs: backMs })).free.before, 0);
  assert.is((await use(store, { wanted: 1, most, nowMs: backMs + MINUTE_MS })).free.before, 0);
  assert.is((await use(store, { wanted: 1, most, nowMs: backMs + MINUTE_MS + 1_000 })).free.before, 5);
});

test('Windows in which nothing counts any more are removed, and no others', async () => {
  const clock = { wallMs: () => START_MS + MINUTE_MS + 1_000, steadyMs: () => START_MS + MINUTE_MS + 1_000 };
  const { store, calls } = await aNode({ url: await temporarySchema(), clock });
  await use(store, { wanted: 1, most: 5, nowMs: START_MS });
  await calls.countUses({ uses: [{ name: 'other', most: 5, windowMs: MINUTE_MS }] });
  const windows = () =>
    store.connections.lend(({ sql }) => sql.value<object, number>('SELECT count(*) FROM rolling_window')({}));
  assert.is(await windows(), 2);
  await calls.pruneStep({});
  assert.is(await windows(), 1);
  assert.is((await use(store, { wanted: 1, most: 5, nowMs: clock.steadyMs() })).free.before, 5);
});

test('Uses that are counted together are all counted or none, and may be taken back', async () => {
  const { nodes, calls } = await aKeyAtTwo();
  const [{ countUses: countHere }, { countUses: countThere }] = [nodes[0].calls, nodes[1].calls];
  const [wide, narrow] = [
    { name: 'wide', most: 3, windowMs: 86_400_000 },
    { name: 'narrow', most: 1, windowMs: MINUTE_MS },
  ] as const;
  const both = await countHere({ uses: [wide, narrow] });
  assert.is(both.resetAfterMs, null);
  const refused = await countThere({ uses: [wide, narrow] });
  assert.ok(refused.resetAfterMs !== null && refused.resetAfterMs <= MINUTE_MS + 1_000);
  assert.is((await countThere({ uses: [wide] })).resetAfterMs, null);
  assert.is((await countHere({ uses: [wide] })).resetAfterMs, null);
  assert.not((await countThere({ uses: [wide] })).resetAfterMs === null);
  await calls.second.takeBackUses({ names: ['wide', 'narrow'], at: both.at });
  assert.is((await countThere({ uses: [wide, narrow] })).resetAfterMs, null);
  assert.not((await countHere({ uses: [wide] })).resetAfterMs === null);
});

test('Nodes that race let in as many requests of a key together as one of them may, and report what is left', async () => {
  const { nodes, post } = await aKeyAtTwo();
  const answers = await Promise.all(Array.from({ length: 90 }, (_, n) => post(n, { perMinute: 40 })));
  assert.is(answers.filter(({ kind }) => kind === 'accepted').length, 40);
  const refused = answers.filter(({ kind }) => kind === 'rate_limited');
  assert.is(refused.length, 50);
  assert.ok(refused.every(({ requests }) => requests?.remaining === 0));
  const left = answers.flatMap(({ kind, requests }) => (kind === 'accepted' && requests ? [requests.remaining] : []));
  assert.equal(
    left.sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, n) => n),
  );
  assert.is(await nodes[0].store.connections.lend(({ sql }) => sql.value('SELECT count(*) FROM event')({})), 40);
});

test('A request counts once, with any outcome', async () => {
  const { calls, post } = await aKeyAtTwo();
  const perMinute = 64;
  const keys = Array.from({ length: 60 }, (_, n) => `key-${n % 20}`);
  const answers = await Promise.all(keys.map((idempotencyKey, n) => post(n, { perMinute, idempotencyKey })));
  assert.is(answers.filter(({ kind }) => kind === 'accepted').length, 20);
  assert.is(answers.filter(({ kind }) => kind === 'replayed').length, 40);
  const { uuid: _, ...event } = anEvent(calls.workspaceId, { perMinute });
  assert.equal((await calls.first.checkEvent(event, calls.key)).requests?.remaining, 3);
  assert.equal((await post(1, { perMinute, channel: 'nowhere' })).kind, 'unknown_channel');
  assert.equal((await post(1, { perMinute })).requests?.remaining, 1);
  assert.equal((await post(1, {})).kind, 'accepted');
  assert.equal((await post(0, { perMinute })).requests?.remaining, 0);
  assert.equal((await post(0, { perMinute })).kind, 'rate_limited');
});

test('No machine waits for a key while another accepts events of it', async () => {
  const { nodes, calls, post } = await aKeyAtTwo();
  const [node, other] = nodes;
  const posted = await node.store.connections.transaction('write', async ({ execute }) => {
    await execute('LOCK TABLE event');
    const all = Promise.all(Array.from({ length: 300 }, () => post(0, { perMinute: 600 })));
    const use = { name: requestsOf(calls.key.id), most: 600, windowMs: MINUTE_MS };
    const used = () => other.value('SELECT coalesce(sum(used), 0)::bigint FROM rolling_window');
    await until('they are counted', async () => ((await used()) ?? 0) > 0);
    assert.is((await calls.second.countUses({ uses: [use] })).resetAfterMs, null);
    return { all };
  });
  assert.ok((await posted.all).every(({ kind }) => kind === 'accepted'));
});

test.run();

/** Between 0 and 1 (Park and Miller's generator). */
function sameNumbersEachTime(): () => number {
  let state = 17;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Uses something once more, as `count_uses` counts it. */
async function use(
  { connections }: PostgresStore,
  { wanted, most, nowMs }: { readonly wanted: number; readonly most: number; readonly nowMs: number },
) {
  const { rows } = await connections.lend(({ ask }) =>
    ask({
      text: 'SELECT * FROM count_uses($1, $2, $3, $4, $5)',
      values: [['it'], [wanted], [most], [MINUTE_MS], nowMs],
    }),
  );
  const [{ free = 0, reset_ms = 0 } = {}] = rows as readonly { readonly free: number; readonly reset_ms: number }[];
  return { free: { before: free, taken: Math.min(free, wanted) }, resetMs: reset_ms };
}

/** Two nodes, and a key that posts to both. */
async function aKeyAtTwo() {
  const { nodes, workspaceId, issueKey } = await aCluster(2);
  const [{ calls: first }, { calls: second }] = nodes;
  const key: KeyActor = { kind: 'key', id: (await issueKey()).id, scope: 'events:write' };
  return {
    nodes,
    calls: { first, second, workspaceId, key },
    post: (n: number, with_: Parameters<typeof anEvent>[1]) =>
      (n % 2 === 0 ? first : second).acceptEvent(anEvent(workspaceId, with_), key),
  };
}
