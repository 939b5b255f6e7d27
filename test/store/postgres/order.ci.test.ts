import * as assert from 'uvu/assert';
import type { EventPage } from '../../../src/store/calls.ts';
import { ADA } from '../../support/cast.ts';
import { aCluster, nodeTests, statementsOf, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { untilIs } from '../../support/until.ts';
import { anEvent, userIdOf } from '../../support/workspace.ts';

const test = nodeTests('the order of events on several nodes');

const SLOW_MS = 200;
/** The size of a page here. */
const PAGE = 25;
const SLOW_EVENTS = 8;
/** Before all events. */
const FIRST = `evt_${'0'.repeat(26)}`;

test('A reader of all events since the newest known event misses none, even if another takes long to be accepted', async () => {
  const { slow, quick, workspaceId } = await twoNodes();
  const known = new Set<string>();
  let newest = 0;
  await postMeanwhile({ slow, quick, workspaceId }, async () => {
    for (const { public_id, received_at } of await listed(quick, workspaceId, { sinceMs: newest }, () => false)) {
      known.add(public_id);
      newest = Math.max(newest, Date.parse(received_at));
    }
  });
  assert.equal(known, await all(quick, workspaceId));
});

test('A reader of all events behind the newest known event misses none', async () => {
  const { slow, quick, workspaceId } = await twoNodes();
  const known = new Set<string>();
  await postMeanwhile({ slow, quick, workspaceId }, async () => {
    const behind = await listed(quick, workspaceId, {}, ({ public_id }) => known.has(public_id));
    for (const { public_id } of behind) known.add(public_id);
  });
  assert.equal(known, await all(quick, workspaceId));
});

test('A follower with `after` gets every event once, in the order of the list', async () => {
  const { slow, quick, workspaceId } = await twoNodes();
  const got: string[] = [];
  let after = FIRST;
  await postMeanwhile({ slow, quick, workspaceId }, async () => {
    const reach = { workspaceId, boundKeyId: null };
    for (let next: string | null = after; next !== null; ) {
      const page = granted(await quick.calls.listReachedEvents({ ...reach, after, limit: PAGE }));
      got.push(...page.events.map(({ public_id }) => public_id));
      after = page.up_to ?? '';
      next = page.next;
    }
  });
  assert.equal(got, [...(await all(quick, workspaceId))].toReversed());
});

test('An event accepted while an inbox is read is unread in it, also if the whole inbox is marked as read', async () => {
  const { slow, quick, workspaceId } = await twoNodes();
  const userId = await userIdOf(quick.calls, ADA);
  let under: Promise<unknown> = Promise.resolve();
  await slow.store.connections.transaction('write', async ({ sql, execute }) => {
    await execute('LOCK TABLE gate');
    under = slow.calls.acceptEvent(anEvent(workspaceId, { title: 'held' }));
    const waiting = sql.value<object, number>(
      'SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))',
    );
    await untilIs('it is under way', () => waiting({}), 1);
    const answer = await quick.calls.acceptEvent(anEvent(workspaceId));
    const upTo = 'event' in answer ? answer.event.public_id : '';
    granted(await quick.calls.markInboxRead({ userId, workspace: 'acme', upTo }));
  });
  await under;
  const { events } = granted(await quick.calls.listInbox({ userId, limit: PAGE }));
  assert.is(events.find(({ title }) => title === 'held')?.unread, true);
});

test('A list has all events accepted before the request, if nothing is held up', async () => {
  const { slow, quick, workspaceId } = await twoNodes();
  for (let round = 0; round < 50; round += 1) {
    const [answer] = await Promise.all([slow, quick].map(({ calls }) => calls.acceptEvent(anEvent(workspaceId))));
    const { events } = granted(await quick.calls.listEvents({ workspace: 'acme', limit: PAGE }));
    const posted = answer !== undefined && 'event' in answer ? answer.event.public_id : '';
    assert.ok(events.some(({ public_id }) => public_id === posted));
  }
});

test('A page of a hundred events of forty channels is one statement', async () => {
  const { quick, workspaceId } = await twoNodes();
  const channels = Array.from({ length: 40 }, (_, nth) => `channel-${nth}`);
  for (const slug of channels) granted(await quick.calls.createChannel({ workspace: 'acme', slug }));
  const posts = Array.from({ length: 240 }, (_, nth) => anEvent(workspaceId, { channel: channels[nth % 40] ?? '' }));
  await Promise.all(posts.map((event) => quick.calls.acceptEvent(event)));
  for (const list of [
    () => quick.calls.listReachedEvents({ workspaceId, boundKeyId: null, limit: 100 }),
    () => quick.calls.listEvents({ workspace: 'acme', limit: 100 }),
    () => quick.calls.listEvents({ workspace: 'acme', level: 'info', limit: 100 }),
  ]) {
    const asked = statementsOf();
    const page = granted(await list());
    assert.is(page.events.length, 100);
    assert.is(asked().filter((text) => /\bFROM event\b/.test(text)).length, 1);
  }
});

test.run();

interface Two {
  readonly slow: TestNode;
  readonly quick: TestNode;
  readonly workspaceId: number;
}

/** Between its number and its commit, an event with the title `slow` takes its time, and one with `held` waits for the table `gate`. */
async function twoNodes(): Promise<Two> {
  const { nodes, workspaceId } = await aCluster(2, { devices: { ios: 1 } });
  const [slow, quick] = nodes;
  await quick.execute(`
      CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(${SLOW_MS / 1_000}); RETURN new; END $$;
      CREATE TABLE gate ();
      CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 FROM gate; RETURN new; END $$;
      CREATE TRIGGER passes_gate BEFORE INSERT ON event FOR EACH ROW WHEN (new.title = 'held') EXECUTE FUNCTION pass_gate();
      CREATE TRIGGER takes_time BEFORE INSERT ON event FOR EACH ROW WHEN (new.title = 'slow') EXECUTE FUNCTION take_time()`);
  return { slow, quick, workspaceId };
}

/** Slow and quick events, one after the other on each node, while a client looks again and again. */
async function postMeanwhile({ slow, quick, workspaceId }: Two, look: () => Promise<void>): Promise<void> {
  let isPosting = true;
  const slowly = async () => {
    for (let nth = 0; nth < SLOW_EVENTS; nth += 1)
      await slow.calls.acceptEvent(anEvent(workspaceId, { title: 'slow' }));
    isPosting = false;
  };
  const quickly = async () => {
    for (let nth = 0; isPosting || nth < 2 * PAGE; nth += 1) await quick.calls.acceptEvent(anEvent(workspaceId));
  };
  const looking = async () => {
    while (isPosting) await look();
  };
  await Promise.all([slowly(), quickly(), looking()]);
  await look();
}

type Listed = EventPage['events'][number];

/** Page for page from the newest on, until one is reached that ends it. */
async function listed(
  { calls }: TestNode,
  workspaceId: number,
  filter: { readonly sinceMs?: number },
  isEnd: (event: Listed) => boolean,
): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  let before: string | undefined;
  for (;;) {
    const from = before === undefined ? filter : { ...filter, before };
    const page = granted(await calls.listReachedEvents({ workspaceId, boundKeyId: null, limit: PAGE, ...from }));
    for (const event of page.events) {
      if (isEnd(event)) return found;
      found.push(event);
    }
    if (page.next === null) return found;
    before = page.next;
  }
}

async function all(node: TestNode, workspaceId: number): Promise<ReadonlySet<string>> {
  const events = await listed(node, workspaceId, {}, () => false);
  assert.ok(events.length > 2 * PAGE && events.filter(({ title }) => title === 'slow').length === SLOW_EVENTS);
  return new Set(events.map(({ public_id }) => public_id));
}
