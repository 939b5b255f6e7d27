import * as assert from 'uvu/assert';
import { assertEach } from '../../support/assert-each.ts';
import { conformance } from '../../support/engines.ts';
import { OPERATOR } from '../../support/people.ts';
import { granted, refused } from '../../support/refusals.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const { it, run } = conformance('reading the audit log', aWorld);

it('the log is read newest first, page by page, for all workspaces or for one, even a deleted one', async (world) => {
  await world.addWorkspace('umbrella');
  for (const slug of ['a', 'b', 'c']) {
    for (const workspace of ['acme', 'umbrella']) {
      granted(await world.calls.createChannel({ workspace, slug }, OPERATOR));
    }
  }
  granted(await world.calls.deleteWorkspace({ slug: 'umbrella' }, OPERATOR));
  const first = granted(await world.calls.listAudit({ workspace: 'umbrella', limit: 2 }));
  const second = granted(await world.calls.listAudit({ workspace: 'umbrella', limit: 2, before: String(first.next) }));
  assertEach([...first.entries, ...second.entries], ({ object }) => object, ['umbrella', 'c', 'b', 'a']);
  assert.is(second.next, null);
  assert.is(granted(await world.calls.listAudit({ limit: 100 })).entries.length, 7);
  assert.is(refused(await world.calls.listAudit({ limit: 1, before: 'yesterday' })).detail?.field, 'before');
});

it('the log is filtered by who, what and when', async ({ calls }) => {
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
    assertEach(entries, ({ action }) => action, expected, JSON.stringify(filter));
  }
});

run();
