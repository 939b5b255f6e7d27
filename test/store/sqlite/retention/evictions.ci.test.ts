import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, EVE } from '../../../support/cast.ts';
import { granted } from '../../../support/refusals.ts';
import { aQuickWorld, deliver, prune } from '../../../support/retention.ts';
import { rollBack } from '../../../support/roll-back.ts';
import { HOUR_MS, NOW_MS, type SqliteWorld } from '../../../support/world.ts';

const DAY_MS = 24 * HOUR_MS;

test('beyond the largest size the oldest events go, but none that is younger than 24 hours', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_200_000 });
  for (let n = 0; n < 1_500; n += 1) await deliver(world, NOW_MS + n, 'y'.repeat(1_000));
  assert.equal(await world.calls.pruneStep({ wallMs: NOW_MS + 2_000 }), {
    done: true,
    isPressing: false,
    isTooLarge: true,
    isHeld: false,
  });
  assert.is(await world.countRows('event'), 1_500);
  await prune(world, NOW_MS + DAY_MS + 2_000);
  const kept = await world.countRows('event');
  assert.ok(kept > 0 && kept < 900, String(kept));
  assert.ok(Number(world.db.prepare('SELECT min(received_at) FROM event').pluck().get()) > NOW_MS + 600);
});

test('a clock that is set forward displaces nothing, but 24 hours at work do', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_200_000 });
  for (let n = 0; n < 1_500; n += 1) await deliver(world, NOW_MS + n, 'y'.repeat(1_000));
  await prune(world, NOW_MS + 12 * HOUR_MS);
  const aheadMs = NOW_MS + 3_650 * DAY_MS;
  const step = (hours: number, passedMs: number) =>
    world.calls.pruneStep({ wallMs: aheadMs + hours * HOUR_MS, passedMs });
  for (let hours = 0; hours <= 12; hours += 1) {
    const passedMs = hours === 0 ? 0 : HOUR_MS;
    assert.equal(await step(hours, passedMs), { done: true, isPressing: false, isTooLarge: true, isHeld: true });
  }
  assert.is(await world.countRows('event'), 1_500);
  for (let passedMs = HOUR_MS; !(await step(13, passedMs)).done; passedMs = 0);
  const kept = await world.countRows('event');
  assert.ok(kept > 0 && kept < 900, String(kept));
});

/** A second workspace with a channel and a device. Answers how its events are accepted. */
async function aNeighbour(
  world: SqliteWorld,
  slug: string,
): Promise<(wallMs: number, description?: string) => Promise<string>> {
  const { workspaceId } = await world.addWorkspace(slug);
  granted(await world.calls.createChannel({ workspace: slug, slug: 'news' }));
  return async (wallMs, description = 'x') => {
    const { event } = await world.accept({ workspaceId, channel: 'news', wallMs, steadyMs: wallMs, description });
    return event.public_id;
  };
}

/** How many events each workspace has. */
function eventsOf({ db }: SqliteWorld): Record<string, number> {
  const rows = db
    .prepare<[], [string, number]>(
      'SELECT slug, count(*) FROM event JOIN workspace ON workspace.id = workspace_id GROUP BY slug',
    )
    .raw()
    .all();
  return Object.fromEntries(rows);
}

test('the growth of a workspace displaces its own events, never the older ones of another', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 2_000_000 });
  const post = await aNeighbour(world, 'small');
  for (let n = 0; n < 100; n += 1) await post(NOW_MS + n, 'y'.repeat(1_000));
  for (let n = 0; n < 3_000; n += 1) await deliver(world, NOW_MS + 1_000 + n, 'y'.repeat(1_000));
  await prune(world, NOW_MS + DAY_MS + 10_000);
  const { acme = 0, small } = eventsOf(world);
  assert.is(small, 100);
  assert.ok(acme > 0 && acme < 2_000, String(acme));
});

test('rows of a growing workspace that may not go are not replaced by rows of others', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_200_000 });
  const post = await aNeighbour(world, 'small');
  for (let n = 0; n < 100; n += 1) await post(NOW_MS + n);
  for (let n = 0; n < 1_500; n += 1) await deliver(world, NOW_MS + DAY_MS, 'y'.repeat(1_000));
  const wallMs = NOW_MS + DAY_MS + HOUR_MS;
  await prune(world, wallMs);
  assert.equal(await world.calls.pruneStep({ wallMs }), {
    done: true,
    isPressing: false,
    isTooLarge: true,
    isHeld: false,
  });
  assert.equal(eventsOf(world), { acme: 1_500, small: 100 });
});

/** So many changes by one person, in a workspace or in none. */
function change(
  { db }: SqliteWorld,
  actor: string,
  workspace: string | null,
  count: number,
  action = 'device.remove',
): void {
  db.prepare(`
    INSERT INTO audit (at, actor_kind, actor, action, workspace, object)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    SELECT ${NOW_MS}, 'user', ?, ?, ?, printf('%0200d', i) FROM n
  `).run(count, actor, action, workspace);
}

/** How many entries the audit log has of whom. */
function entriesOf({ db }: SqliteWorld): Record<string, number> {
  const rows = db.prepare<[], [string, number]>('SELECT holder, count(*) FROM audit GROUP BY holder').raw().all();
  return Object.fromEntries(rows);
}

test('an audit log that grows displaces no event, and of the log only the oldest entries of its largest holders', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_500_000 });
  const post = await aNeighbour(world, 'small');
  for (let n = 0; n < 200; n += 1) await post(NOW_MS + n);
  for (let n = 0; n < 100; n += 1) await deliver(world, NOW_MS + 1_000 + n);
  change(world, ADA, 'small', 50);
  change(world, ADA, null, 20);
  change(world, EVE, 'acme', 6_000);
  change(world, EVE, null, 3_000);
  await prune(world, NOW_MS + DAY_MS - 1);
  assert.is(await world.countRows('audit'), 9_070);
  await prune(world, NOW_MS + DAY_MS + 10_000);
  assert.equal(eventsOf(world), { acme: 100, small: 200 });
  const { small, acme = 0, ':ada@example.com': ada, ':eve@example.com': eve = 0 } = entriesOf(world);
  assert.equal([small, ada], [50, 20]);
  assert.ok(acme < 2_500 && eve < 2_500 && Math.abs(acme - eve) < 300, `${acme} and ${eve}`);
});

test('one entry says what the audit log has lost, in the place of all that went', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_500_000 });
  change(world, EVE, 'acme', 9_000);
  await prune(world, NOW_MS + DAY_MS + 10_000);
  const left = entriesOf(world).acme ?? 0;
  assert.ok(left < 5_000, String(left));
  const { entries } = granted(await world.calls.listAudit({ workspace: 'acme', limit: 9_000 }));
  const trims = entries.filter(({ action }) => action === 'audit.trim');
  assert.equal(trims, [entries.at(-1)]);
  assert.equal([trims[0]?.object, trims[0]?.actor.name], ['acme', 'pushctl']);
});

test('the entry of the last backup stays in an audit log that is too large, and `status` names it', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_500_000 });
  change(world, EVE, null, 10, 'backup.make');
  change(world, EVE, null, 9_000);
  await prune(world, NOW_MS + DAY_MS + 10_000);
  assert.ok((await world.countRows('audit')) < 5_000);
  const { lastBackup } = await world.calls.readStatus({});
  assert.match(lastBackup?.file ?? '', /^0+10$/);
});

/** More than a step examines. */
const MANY_AHEAD = 300;
const AHEAD_MS = NOW_MS + 3_650 * DAY_MS;

test('events dated ahead of a clock that was set back stop no eviction of the events behind them', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_200_000 });
  for (let n = 0; n < MANY_AHEAD; n += 1) await deliver(world, AHEAD_MS + n);
  for (let n = 0; n < 1_500; n += 1) await deliver(world, NOW_MS + n, 'y'.repeat(1_000));
  await prune(world, NOW_MS + DAY_MS + 2_000);
  const ahead = world.db.prepare('SELECT count(*) FROM event WHERE received_at >= ?').pluck().get(AHEAD_MS);
  const kept = (await world.countRows('event')) - MANY_AHEAD;
  assert.is(ahead, MANY_AHEAD);
  assert.ok(kept > 0 && kept < 900, String(kept));
});

test('audit entries dated ahead of a clock that was set back stop no eviction of the entries behind them', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_500_000 });
  change(world, EVE, 'acme', MANY_AHEAD);
  world.db.prepare("UPDATE audit SET at = ? WHERE holder = 'acme'").run(AHEAD_MS);
  change(world, EVE, 'acme', 9_000);
  await prune(world, NOW_MS + DAY_MS + 10_000);
  const left = entriesOf(world).acme ?? 0;
  assert.ok(left > MANY_AHEAD && left < 5_000, String(left));
});

test('workspaces that keep too much alike give in turns', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 2_000_000 });
  const post = await aNeighbour(world, 'umbrella');
  for (let n = 0; n < 1_500; n += 1) {
    await deliver(world, NOW_MS + n, 'y'.repeat(1_000));
    await post(NOW_MS + n, 'y'.repeat(1_000));
  }
  await prune(world, NOW_MS + DAY_MS + 10_000);
  const { acme = 0, umbrella = 0 } = eventsOf(world);
  assert.ok(acme < 1_200 && umbrella < 1_200 && Math.abs(acme - umbrella) < 300, `${acme} and ${umbrella}`);
});

test('the oldest events go first also after their removal was rolled back', async () => {
  const world = await aQuickWorld({ maxSizeBytes: 1_200_000 });
  for (let n = 0; n < 1_500; n += 1) await deliver(world, NOW_MS + n, 'y'.repeat(1_000));
  const wallMs = NOW_MS + DAY_MS + 2_000;
  while ((await world.countRows('event')) === 1_500) await world.calls.pruneStep({ wallMs });
  const oldest = world.db.prepare('SELECT min(received_at) FROM event').pluck();
  const before = oldest.get();
  await rollBack(world, [{ name: 'pruneStep', args: { wallMs } }]);
  assert.is(oldest.get(), before);
  await prune(world, wallMs);
  assert.ok(Number(oldest.get()) > NOW_MS + 600);
});

test.run();
