import * as assert from 'uvu/assert';
import { temporarySchema } from '../../support/postgres.ts';
import { aNode, nodeTests, PATIENT } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { NOW_MS } from '../../support/store.ts';
import { aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('heartbeats of several nodes');

test('However many nodes look at the same moment, and are pinged, each change is reported once', async () => {
  const url = await temporarySchema();
  let nowMs = NOW_MS;
  const clock = { wallMs: () => nowMs, steadyMs: () => nowMs };
  const nodes = await Promise.all(
    ['one', 'two', 'three', 'four'].map((node) => aNode({ url, node, clock, ...PATIENT })),
  );
  const [first] = nodes;
  if (!first) throw new Error('no node');
  await aWorkspace(first.calls, { devices: { ios: 1 } });
  const asked = { workspace: 'acme', channel: 'alerts', every: 60, grace: 60 };
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, n) => first.calls.createHeartbeat({ ...asked, slug: `job-${n}` })),
  );
  const uuids = made.map((answer) => granted(answer).uuid);
  const ping = { kind: 'success', rid: null, output: null, exitStatus: null } as const;
  const pingAll = () =>
    Promise.all(uuids.flatMap((uuid) => nodes.map(({ calls }) => calls.pingHeartbeat({ ...ping, uuid }))));
  await pingAll();

  /** A call reports a few, and says if there are more. */
  const tend = () =>
    Promise.all(
      nodes.map(async ({ calls }) => {
        while ((await calls.tendHeartbeats({})).nextInMs === 0);
      }),
    );
  for (let left = 120_000; left > 0; left -= 10_000) {
    nowMs += 10_000;
    await tend();
  }
  await pingAll();
  const { events } = granted(await first.calls.listEvents({ workspace: 'acme', limit: 200 }));
  assert.is(events.length, 120);
  assert.is(new Set(events.map(({ title }) => title)).size, 120);

  const uuid = uuids[0] ?? '';
  for (let n = 0; n < 10; n += 1) {
    const pings = [{ ...ping, kind: 'fail' }, ping] as const;
    await Promise.all(pings.flatMap((ping) => nodes.map(({ calls }) => calls.pingHeartbeat({ ...ping, uuid }))));
  }
  const { events: flapping } = granted(await first.calls.listEvents({ workspace: 'acme', limit: 200 }));
  assert.is(flapping.length, 120 + 5, 'two of its six events came before, and one says that it flaps');
});

test.run();
