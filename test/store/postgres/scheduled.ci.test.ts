import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const EVENTS = 60;

interface Cluster {
  readonly nodes: readonly [TestNode, TestNode];
  /** Has so many events accepted for later by the first node, and answers their public ids. */
  schedule(count: number): Promise<readonly string[]>;
  makeAllDue(): Promise<unknown>;
}

async function withCluster(use: (cluster: Cluster) => Promise<void>): Promise<void> {
  const nodes = (await nodesOver(await temporarySchema(), 2)) as [TestNode, TestNode];
  const { calls, store } = nodes[0];
  const { workspaceId } = await aWorkspace(calls, { devices: { ios: 1 } });
  const schedule = async (count: number) => {
    const later = { sendAtMs: Date.now() + 3_600_000 };
    const answers = await Promise.all(
      Array.from({ length: count }, () => calls.acceptEvent(anEvent(workspaceId, later))),
    );
    return answers.map((answer) => (answer.kind === 'accepted' ? answer.event.public_id : ''));
  };
  const makeAllDue = () => store.connections.lend(({ execute }) => execute('UPDATE event SET send_at = 0'));
  try {
    await use({ nodes, schedule, makeAllDue });
  } finally {
    await Promise.all(nodes.map((node) => node.store.close()));
  }
}

test('a node hears of what another one has accepted for later', () =>
  withCluster(async ({ nodes, schedule }) => {
    const heard = Promise.withResolvers<void>();
    assert.equal(await nodes[1].calls.nextRelease({}), { inMs: null });
    nodes[1].store.onTouched('scheduled', heard.resolve);
    await schedule(1);
    await heard.promise;
    const { inMs } = await nodes[1].calls.nextRelease({});
    assert.ok(inMs !== null && inMs > 3_000_000, String(inMs));
  }));

test('two nodes that look at the same time send each event once, and none that is taken back before', () =>
  withCluster(async ({ nodes, schedule, makeAllDue }) => {
    const ids = await schedule(EVENTS);
    await makeAllDue();
    const [, ...cancelled] = await Promise.all([
      ...nodes.flatMap(({ calls }) => [calls.releaseDue({}), calls.releaseDue({})]),
      ...ids.slice(0, 9).map((publicId, nth) => nodes[nth % 2 === 0 ? 0 : 1].calls.cancelEvent({ publicId })),
    ]);
    const answers = cancelled.slice(3) as Awaited<ReturnType<TestNode['calls']['cancelEvent']>>[];
    const inTime = answers.map(granted).filter(({ wasScheduled }) => wasScheduled).length;
    for (;;) if ((await nodes[1].calls.releaseDue({})).released.length === 0) break;
    const count = (of: string) =>
      nodes[0].store.connections.lend(async ({ sql }) => sql.value<object, number>(`SELECT count(*) FROM ${of}`)({}));
    assert.equal(
      [await count('event'), await count("event WHERE kind = 'cancelled'"), await count('event WHERE kind IS NULL')],
      [EVENTS, inTime, EVENTS - inTime],
    );
    assert.is(await count('event WHERE kind IS NULL AND targeted = 1'), EVENTS - inTime);
  }));

/** As if the first event was found just before its time came. */
const FOUND_BEFORE = `
  ALTER FUNCTION first_events RENAME TO first_events_now;
  CREATE SEQUENCE asked;
  CREATE FUNCTION first_events(BIGINT[], INTEGER[], TEXT[], BOOLEAN[]) RETURNS BIGINT[] LANGUAGE sql AS $$
    SELECT CASE nextval('asked') WHEN 1 THEN ARRAY[CAST(999999 AS BIGINT)] ELSE first_events_now($1, $2, $3, $4) END
  $$`;

test('a replay of a bound key that comes at the time of its event is answered as one', () =>
  withCluster(async ({ nodes: [{ calls, store }] }) => {
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
    await store.connections.lend(({ execute }) => execute(FOUND_BEFORE));
    assert.is((await calls.acceptEvent(event())).kind, 'replayed');
  }));

test.run();
