import * as assert from 'uvu/assert';
import { conformance } from '../../../support/engines.ts';
import { OPERATOR } from '../../../support/people.ts';
import { granted, refused } from '../../../support/refusals.ts';
import { tokenOf } from '../../../support/workspace.ts';
import { aWorld, NOW_MS, type World } from '../../../support/world.ts';

const { it, onSqlite, run } = conformance('subscribers, and the keys of all workspaces', aWorld);

onSqlite('the subscribers of a channel come page by page, each once, even if others end meanwhile', async () => {
  const world = await aWorld();
  const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => world.addDevice({ token: tokenOf(n) })));
  await world.addDevice({ token: tokenOf(9), subscribe: [] });
  world.db.prepare(`UPDATE device SET status = 'inactive' WHERE public_id = ?`).run(ids[0]);
  world.db.exec('UPDATE subscription SET active = 0 WHERE number = 1');
  const first = await pageOf(world);
  assert.is(first.devices[0]?.status, 'inactive');
  granted(await world.calls.removeDevice({ id: first.devices[1]?.id ?? '' }));
  const second = await pageOf(world, first.next);
  const third = await pageOf(world, second.next);
  assert.equal(
    [first, second, third].flatMap(({ devices }) => devices.map(({ id }) => id)),
    ids,
  );
  assert.is(third.next, null);
  assert.is(refused(await world.calls.listSubscribers({ ...ALERTS, limit: 2, after: 'x' })).detail?.field, 'after');
});

it('the keys of all workspaces come page by page, those of one together', async (world) => {
  await world.addWorkspace('beta');
  const issued = await Promise.all(
    ['beta', 'acme', 'beta', 'acme', 'beta'].map(async (workspace, n) => {
      const key = { id: `${n}`.repeat(12), secretHash: 'ab'.repeat(32), scopes: ['events:write'] } as const;
      return granted(await world.calls.issueKey({ workspace, ...key, wallMs: NOW_MS + n }, OPERATOR)).id[0];
    }),
  );
  assert.equal(issued, ['0', '1', '2', '3', '4']);
  const seen: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = granted(await world.calls.listAllKeys({ limit: 2, ...(after !== undefined && { after }) }));
    seen.push(...page.keys.map(({ workspace, id }) => `${workspace} ${id[0]}`));
    after = page.next;
  }
  assert.equal(seen, ['acme 1', 'acme 3', 'beta 0', 'beta 2', 'beta 4']);
  assert.is(refused(await world.calls.listAllKeys({ limit: 2, after: 'unknown' })).detail?.field, 'after');
});

run();

const ALERTS = { workspace: 'acme', slug: 'alerts' } as const;

async function pageOf({ calls }: World, after: string | null = null) {
  return granted(await calls.listSubscribers({ ...ALERTS, limit: 2, ...(after !== null && { after }) }));
}
