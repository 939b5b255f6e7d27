import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OPERATOR } from '../../../support/people.ts';
import { aWorld, granted, NOW_MS, refused, tokenOf, type World } from '../../../support/world.ts';

const test = suite('subscribers, and the keys of all workspaces');

test('the subscribers of a channel come page by page, each once, whatever ends meanwhile', () => {
  const world = aWorld();
  const ids = Array.from({ length: 5 }, (_, n) => world.addDevice({ token: tokenOf(n) }));
  world.addDevice({ token: tokenOf(9), subscribe: [] });
  world.db.prepare(`UPDATE device SET status = 'inactive' WHERE public_id = ?`).run(ids[0]);
  world.db.exec('UPDATE subscription SET active = 0 WHERE number = 1');
  const first = pageOf(world);
  assert.is(first.devices[0]?.status, 'inactive');
  granted(world.calls.removeDevice({ id: first.devices[1]?.id ?? '' }));
  const second = pageOf(world, first.next);
  const third = pageOf(world, second.next);
  assert.equal(
    [first, second, third].flatMap(({ devices }) => devices.map(({ id }) => id)),
    ids,
  );
  assert.is(third.next, null);
  assert.is(refused(world.calls.listSubscribers({ ...DEPLOYS, limit: 2, after: 'x' })).field, 'after');
});

test('the keys of all workspaces come page by page, those of one together', () => {
  const world = aWorld();
  world.addWorkspace('beta');
  const issued = ['beta', 'acme', 'beta', 'acme', 'beta'].map((workspace, n) => {
    const key = { id: `${n}`.repeat(12), secretHash: 'ab'.repeat(32), scopes: ['events:write'] } as const;
    return granted(world.calls.issueKey({ workspace, ...key, wallMs: NOW_MS + n }, OPERATOR)).id[0];
  });
  assert.equal(issued, ['0', '1', '2', '3', '4']);
  const seen: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = granted(world.calls.listAllKeys({ limit: 2, ...(after !== undefined && { after }) }));
    seen.push(...page.keys.map(({ workspace, id }) => `${workspace} ${id[0]}`));
    after = page.next;
  }
  assert.equal(seen, ['acme 1', 'acme 3', 'beta 0', 'beta 2', 'beta 4']);
  assert.is(refused(world.calls.listAllKeys({ limit: 2, after: 'unknown' })).field, 'after');
});

test.run();

const DEPLOYS = { workspace: 'acme', slug: 'deploys' } as const;

function pageOf({ calls }: World, after: string | null = null) {
  return granted(calls.listSubscribers({ ...DEPLOYS, limit: 2, ...(after !== null && { after }) }));
}
