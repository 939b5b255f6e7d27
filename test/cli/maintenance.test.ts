import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Maintenance } from '../../src/contract/maintenance.ts';
import { InProcessCli as Cli } from '../support/cli.ts';

const test = suite('cli: maintenance');

test('Maintenance is started, planned, listed and ended', async () => {
  const cli = await Cli.ofTeam();
  const add = async (...rest: readonly string[]) =>
    (await cli.json<{ maintenance: Maintenance }>(['maintenance', 'add', 'acme', 'alerts', ...rest])).maintenance;
  assert.match((await cli.run(['maintenance', 'list', 'acme'])).stdout, 'No maintenance is planned.');
  const now = await add('--for', '2h', '--note', 'Database upgrade', '--only', 'db-*');
  assert.equal([now.state, now.only, now.note], ['on', 'db-*', 'Database upgrade']);
  assert.is(Date.parse(now.until) - Date.parse(now.from), 7_200_000);
  const later = await add('--from', '1d', '--until', '25h');
  assert.is(later.state, 'planned');
  const weekly = await add('--cron', '0 3 * * 0', '--for', '1h', '--timezone', 'Europe/Berlin');
  assert.equal([weekly.cron, weekly.timezone, weekly.for], ['0 3 * * 0', 'Europe/Berlin', 3_600]);
  assert.match((await cli.run(['status'])).stdout, /maintenance +acme\/alerts until .* left, only db-\*\)/);
  const list = await cli.run(['maintenance', 'list', 'acme', 'alerts']);
  assert.match(list.stdout, '0 3 * * 0 (Europe/Berlin), for 1 h');
  const change = async (id: string, ...rest: readonly string[]) =>
    (await cli.json<{ maintenance: Maintenance }>(['maintenance', 'change', 'acme', id, ...rest])).maintenance;
  const longer = await change(now.id, '--for', '3h', '--note', '');
  assert.equal([Date.parse(longer.until) - Date.parse(now.from), longer.note], [10_800_000, null]);
  assert.equal([longer.from, longer.only], [now.from, 'db-*'], 'the others stay');
  const sooner = await change(later.id, '--from', '2h', '--until', '4h', '--only', 'web');
  assert.equal([sooner.state, sooner.only], ['planned', 'web']);
  assert.is((await change(later.id, '--only', '')).only, null);
  assert.equal((await change(weekly.id, '--cron', '0 4 * * 0')).cron, '0 4 * * 0');
  assert.match((await cli.run(['maintenance', 'end', 'acme', later.id])).stdout, `Cancelled ${later.id}.`);
  assert.match((await cli.run(['maintenance', 'end', 'acme', now.id])).stdout, `Ended ${now.id}.`);
});

test('A mistake gets a message with advice', async () => {
  const cli = await Cli.ofTeam();
  const add = (code: 1 | 2, ...rest: readonly string[]) =>
    cli.failure(code, ['maintenance', 'add', 'acme', 'alerts', ...rest]);
  assert.match(await add(2), '--for 2h');
  assert.match(await add(2, '--for', '8d'), 'at most 7 days');
  assert.match(await add(2, '--for', '1h', '--cron', '0 3 * *'), 'five fields');
  const { id } = (await cli.json<{ maintenance: Maintenance }>(['maintenance', 'add', 'acme', 'alerts', '--for', '1h']))
    .maintenance;
  assert.match(await cli.failure(2, ['maintenance', 'change', 'acme', id]), 'nothing to change');
  assert.match(
    await cli.failure(2, ['maintenance', 'change', 'acme', id, '--only', 'db-*']),
    'End it and start another',
  );
  assert.match(
    await cli.failure(1, ['maintenance', 'change', 'acme', 'mnt_0000000000000000', '--for', '1h']),
    'list acme',
  );
  assert.match(await cli.failure(1, ['maintenance', 'end', 'acme', 'mnt_0000000000000000']), 'maintenance list acme');
});

test.run();
