import * as assert from 'uvu/assert';
import { conformance } from '../../support/engines.ts';
import { OPERATOR } from '../../support/people.ts';
import { granted, refused } from '../../support/refusals.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const test = conformance('reading the audit log');

test('the log is read newest first, page by page, of all workspaces or of one, which may be gone', async ({
  engine,
}) => {
  const world = await aWorld({ engine });
  await world.addWorkspace('umbrella');
  for (const slug of ['a', 'b', 'c']) {
    for (const workspace of ['acme', 'umbrella']) {
      granted(await world.calls.createChannel({ workspace, slug }, OPERATOR));
    }
  }
  granted(await world.calls.deleteWorkspace({ slug: 'umbrella' }, OPERATOR));
  const first = granted(await world.calls.listAudit({ workspace: 'umbrella', limit: 2 }));
  const second = granted(await world.calls.listAudit({ workspace: 'umbrella', limit: 2, before: String(first.next) }));
  assert.equal(
    [...first.entries, ...second.entries].map(({ object }) => object),
    ['umbrella', 'c', 'b', 'a'],
  );
  assert.is(second.next, null);
  assert.is(granted(await world.calls.listAudit({ limit: 100 })).entries.length, 7);
  assert.is(refused(await world.calls.listAudit({ limit: 1, before: 'yesterday' })).field, 'before');
});

test('the log is filtered by who, what and when', async ({ engine }) => {
  const { calls } = await aWorld({ engine });
  const other = { ...OPERATOR, name: 'deploy' };
  granted(await calls.createChannel({ workspace: 'acme', slug: 'old', wallMs: NOW_MS - 1 }, OPERATOR));
  granted(await calls.createChannel({ workspace: 'acme', slug: 'builds' }, OPERATOR));
  granted(await calls.updateChannel({ workspace: 'acme', slug: 'builds' }, other));
  granted(await calls.setPlan({ name: 'channels', monthlyEvents: 1 }, other));
  for (const [filter, expected] of [
    [{ actor: 'deploy' }, ['plan.set', 'channel.update']],
    [{ action: 'channel' }, ['channel.update', 'channel.create', 'channel.create']],
    [{ action: 'channel.create', sinceMs: NOW_MS }, ['channel.create']],
    [{ action: 'chan' }, []],
    [{ workspace: 'acme', action: 'channel', limit: 1 }, ['channel.update']],
  ] as const) {
    const { entries } = granted(await calls.listAudit({ limit: 9, ...filter }));
    assert.equal(
      entries.map(({ action }) => action),
      expected,
      JSON.stringify(filter),
    );
  }
});

test.run();
