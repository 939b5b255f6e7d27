import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Channel } from '../../src/store/calls.ts';
import { InProcessCli as Cli } from '../support/cli.ts';

const test = suite('cli: quiet hours');

const QUIET = ['channel', 'quiet', 'acme', 'alerts'];
const NIGHT = ['--from', '22:00', '--to', '07:00', '--timezone', 'Europe/Berlin'];

test('A channel gets quiet hours, shows them, and loses them; the audit log says so.', async () => {
  const cli = await Cli.ofTeam();
  const { channel } = await cli.json<{ channel: Channel }>([...QUIET, ...NIGHT, '--days', 'sun,Mon']);
  assert.equal(channel.quiet, { from: '22:00', to: '07:00', timezone: 'Europe/Berlin', days: ['mon', 'sun'] });
  const text = '22:00 to 07:00 (Europe/Berlin)';
  assert.match((await cli.run(['channel', 'show', 'acme', 'alerts'])).stdout, `${text}, beginning on mon, sun`);
  assert.match((await cli.run([...QUIET, ...NIGHT])).stdout, `acme/alerts has quiet hours from ${text}.`);
  assert.match((await cli.run([...QUIET, '--off'])).stdout, 'acme/alerts has no quiet hours.');
  const audit = (await cli.run(['audit'])).stdout;
  assert.match(audit, `alerts: active, "alerts", quiet ${text}`);
  assert.match(audit, 'alerts: active, "alerts", no quiet hours');
});

test('Invalid quiet hours are refused by their name.', async () => {
  const cli = await Cli.ofTeam();
  assert.match(await cli.failure(2, QUIET), '--from, --to and --timezone go together');
  assert.match(await cli.failure(2, [...QUIET, ...NIGHT, '--days', 'mon,monday']), 'Name days by mon,tue');
  assert.match(await cli.failure(2, [...QUIET, ...NIGHT, '--to', '7am']), 'The quiet.to must be a time');
  assert.match(await cli.failure(2, [...QUIET, ...NIGHT, '--timezone', 'CET']), 'such as Europe/Berlin, or UTC');
});

test.run();
