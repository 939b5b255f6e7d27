import * as assert from 'uvu/assert';
import { aCluster, nodeTests, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { anEvent } from '../../support/workspace.ts';

const test = nodeTests('scheduled');

const EVENTS = 60;

async function twoNodes() {
  const { nodes, post } = await aCluster(2, { devices: { ios: 1 } });
  return {
    nodes,
    /** Posts so many events for later at the first node, and returns their public ids. */
    schedule: (count: number) =>
      Promise.all(Array.from({ length: count }, () => post({ sendAtMs: Date.now() + 3_600_000 }))),
    makeAllDue: () => nodes[0].execute('UPDATE event SET send_at = 0'),
  };
}

test('a node is notified of an event that another has accepted for later', async () => {
  const { nodes, schedule } = await twoNodes();
  const heard = Promise.withResolvers<void>();
  assert.equal(await nodes[1].calls.nextRelease({}), { inMs: null });
  nodes[1].store.onTouched('scheduled', heard.resolve);
  await schedule(1);
  await heard.promise;
  const { inMs } = await nodes[1].calls.nextRelease({});
  assert.ok(inMs !== null && inMs > 3_000_000, String(inMs));
});

test('two nodes that look at the same time send each event once, and none that is taken back before', async () => {
  const { nodes, schedule, makeAllDue } = await twoNodes();
  const ids = await schedule(EVENTS);
  await makeAllDue();
  const [, ...cancelled] = await Promise.all([
    ...nodes.flatMap(({ calls }) => [calls.releaseDue({}), calls.releaseDue({})]),
    ...ids.slice(0, 9).map((publicId, nth) => nodes[nth % 2 === 0 ? 0 : 1].calls.cancelEvent({ publicId })),
  ]);
  const answers = cancelled.slice(3) as Awaited<ReturnType<TestNode['calls']['cancelEvent']>>[];
  const inTime = answers.map(granted).filter(({ wasScheduled }) => wasScheduled).length;
  for (;;) if ((await nodes[1].calls.releaseDue({})).released.length === 0) break;
  const count = (of: string) => nodes[0].value(`SELECT count(*) FROM ${of}`);
  assert.equal(
    [await count('event'), await count("event WHERE kind = 'cancelled'"), await count('event WHERE kind IS NULL')],
    [EVENTS, inTime, EVENTS - inTime],
  );
  assert.is(await count('event WHERE kind IS NULL AND targeted = 1'), EVENTS - inTime);
});

/** Moves the first event to just before its time. */
const FOUND_BEFORE = `
  ALTER FUNCTION first_events RENAME TO first_events_now;
  CREATE SEQUENCE asked;
  CREATE FUNCTION first_events(BIGINT[], INTEGER[], TEXT[], BOOLEAN[]) RETURNS BIGINT[] LANGUAGE sql AS $$
    SELECT CASE nextval('asked') WHEN 1 THEN ARRAY[CAST(999999 AS BIGINT)] ELSE first_events_now($1, $2, $3, $4) END
  $$`;

test('a replay of a bound key that comes at the time of its event is answered as one', async () => {
  const {
    nodes: [{ calls, execute }],
  } = await twoNodes();
  const boundKeyId = 'b'.repeat(12);
  const key = {
    id: boundKeyId,
    secretHash: 'ab'.repeat(32),
    scopes: ['events:write'],
    channels: ['alerts'],
  } as const;
  granted(await calls.issueKey({ workspace: 'acme', ...key }));
  const event = () => anEvent(1, { boundKeyId, idempotencyKey: 'once' });
  assert.is((await calls.acceptEvent(event())).kind, 'accepted');
  await execute(FOUND_BEFORE);
  assert.is((await calls.acceptEvent(event())).kind, 'replayed');
});

test.run();
