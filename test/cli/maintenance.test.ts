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
  assert.match(await cli.failure(1, ['maintenance', 'end', 'acme', 'mnt_0000000000000000']), 'maintenance list acme');
});

test.run();
