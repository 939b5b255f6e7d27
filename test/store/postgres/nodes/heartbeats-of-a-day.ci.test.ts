import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporarySchema } from '../../../support/postgres.ts';
import { aNode } from '../../../support/postgres-nodes.ts';
import { granted } from '../../../support/refusals.ts';
import { Resources } from '../../../support/resources.ts';
import { NOW_MS } from '../../../support/store.ts';
import { aWorkspace } from '../../../support/workspace.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const JOBS = 50;
/** A node looks each ten seconds; so much is no outage yet. */
const LOOK_EVERY_MS = 14_000;

test('A restart of five minutes reports none of 100 jobs, and daily ones that are missing are reported all the same', async () => {
  await using opened = new Resources();
  const url = await temporarySchema();
  let nowMs = NOW_MS;
  const clock = { wallMs: () => nowMs, steadyMs: () => nowMs };
  const started = (count: number) =>
    Promise.all(['one', 'two'].slice(0, count).map((node) => aNode({ url, node, clock })));
  let nodes = await started(2);
  opened.onEnd(() => Promise.all(nodes.map(({ calls }) => calls.close())));
  const calls = (nth: number) => {
    const node = nodes[nth % nodes.length];
    if (node === undefined) throw new Error('no node runs');
    return node.calls;
  };
  await aWorkspace(calls(0));
  const uuids: { readonly daily: string[]; readonly minutely: string[] } = { daily: [], minutely: [] };
  for (const [of, schedule] of [
    ['daily', { every: 86_400, grace: 3_600 }],
    ['minutely', { every: 60, grace: 60 }],
  ] as const) {
    for (let n = 0; n < JOBS; n += 1) {
      const named = { workspace: 'acme', channel: 'alerts', slug: `${of}-${n}` };
      uuids[of].push(granted(await calls(n).createHeartbeat({ ...named, ...schedule })).uuid);
    }
  }
  const ping = { kind: 'success', rid: null, output: null, exitStatus: null } as const;
  const pingAll = (of: readonly string[]) =>
    Promise.all(of.map((uuid, nth) => calls(nth).pingHeartbeat({ ...ping, uuid })));
  const reported = async () => granted(await calls(0).listEvents({ workspace: 'acme', limit: 200 })).events.length;
  /** The nodes look in turns. */
  const pass = async (ms: number) => {
    for (let left = ms, turn = 0; left > 0; left -= LOOK_EVERY_MS, turn += 1) {
      nowMs += Math.min(left, LOOK_EVERY_MS);
      // A call reports a few, and says if there are more.
      while ((await calls(turn).tendHeartbeats({})).nextInMs === 0);
    }
  };

  await pingAll([...uuids.daily, ...uuids.minutely]);
  await pass(50_000);
  await Promise.all(nodes.map((node) => node.calls.close()));
  nowMs += 5 * MINUTE_MS;
  nodes = await started(2);
  await pass(MINUTE_MS);
  await pingAll(uuids.minutely);
  assert.is(await reported(), 0);
  await Promise.all(
    uuids.minutely.map((_, n) => calls(n).pauseHeartbeat({ workspace: 'acme', slug: `minutely-${n}` })),
  );

  await pass(25 * HOUR_MS - 3 * MINUTE_MS);
  assert.is(await reported(), 0);
  await pass(2 * MINUTE_MS);
  assert.is(await reported(), JOBS);
});

test.run();
