import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessCli as Cli } from '../support/cli.ts';

const test = suite('cli: heartbeats');

interface Shown {
  readonly slug: string;
  readonly state: string;
  readonly every: number | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly grace: number;
  readonly channel: string;
  readonly ping_url: string;
}

test('A heartbeat is added with its address, listed, shown, changed, paused, resumed and removed', async () => {
  const cli = await aTeam();
  const heartbeat = async (...args: readonly string[]) => {
    const [verb = '', ...rest] = args;
    return (await cli.json<{ heartbeat: Shown }>(['heartbeat', verb, 'acme', ...rest])).heartbeat;
  };
  const added = await heartbeat('add', 'builds', 'nightly', '--every', '12h', '--grace', '30m');
  assert.match(added.ping_url, /^https:\/\/push\.example\.com\/ping\/[0-9a-f-]{36}$/);
  assert.equal([added.state, added.every, added.grace, added.channel], ['new', 43_200, 1_800, 'builds']);
  assert.equal(await heartbeat('show', 'nightly'), added);
  const list = await cli.run(['heartbeat', 'list', 'acme']);
  assert.match(list.stdout, /^nightly +builds +new +every 12 h +30 min /m);
  assert.match((await cli.run(['heartbeat', 'show', 'acme', 'nightly'])).stdout, `ping address  ${added.ping_url}`);
  const changed = await heartbeat('change', 'nightly', '--every', '1d', '--channel', 'alerts');
  assert.equal([changed.every, changed.grace, changed.channel], [86_400, 1_800, 'alerts']);
  const daily = await heartbeat('change', 'nightly', '--cron', '0 3 * * *', '--timezone', 'Europe/Berlin');
  assert.equal([daily.every, daily.cron, daily.timezone], [null, '0 3 * * *', 'Europe/Berlin']);
  assert.match((await cli.run(['heartbeat', 'list', 'acme'])).stdout, / by 0 3 \* \* \* \(Europe\/Berlin\) /);
  assert.is((await heartbeat('pause', 'nightly')).state, 'paused');
  assert.is((await heartbeat('resume', 'nightly')).state, 'new');
  assert.is((await heartbeat('remove', 'nightly')).slug, 'nightly');
  assert.match((await cli.run(['heartbeat', 'list', 'acme'])).stdout, 'No heartbeats yet.');
});

test('A key for pings by name comes with their address, and is bound to one channel and nothing else', async () => {
  const cli = await aTeam();
  const issue = ['key', 'issue', 'acme', '--scope', 'heartbeats:ping'];
  const { key, ping_url } = await cli.json<{ key: string; ping_url: string }>([...issue, '--channel', 'alerts']);
  assert.is(ping_url, `https://push.example.com/ping/${key}/<slug>`);
  assert.match(await cli.failure(2, issue), 'exactly one channel');
  assert.match(await cli.failure(2, [...issue, '--channel', 'alerts', '--channel', 'builds']), 'exactly one channel');
  assert.match(await cli.failure(2, [...issue, '--channel', 'alerts', '--scope', 'events:write']), 'no other scope');
});

test('Errors say what is wrong and what to do', async () => {
  const cli = await aTeam();
  const add = ['heartbeat', 'add', 'acme'];
  assert.match(await cli.failure(2, [...add, 'builds', 'nightly', '--every', '10s']), 'seconds from 60 to 31536000');
  assert.match(
    await cli.failure(2, [...add, 'builds', 'nightly', '--grace', '400d']),
    'The grace must be a whole number',
  );
  assert.match(await cli.failure(2, [...add, 'build', 'nightly']), /no channel "build"/);
  assert.match(await cli.failure(2, [...add, 'builds', '-']), 'The slug "-" must be');
  await cli.json([...add, 'builds', 'nightly']);
  assert.match(await cli.failure(1, [...add, 'builds', 'nightly']), 'already has a heartbeat "nightly"');
  assert.match(await cli.failure(1, ['heartbeat', 'show', 'acme', 'daily']), /heartbeat list acme/);
  assert.match(await cli.failure(2, ['heartbeat', 'change', 'acme', 'nightly']), 'nothing to change');
});

test('`status` names those that are down', async () => {
  const cli = await aTeam();
  assert.not.match((await cli.run(['status'])).stdout, /^heartbeats/m);
  await cli.json(['heartbeat', 'add', 'acme', 'builds', 'nightly']);
  await cli.populate(async (store) => {
    await store.createHeartbeat({ workspace: 'acme', channel: 'builds', slug: 'hourly' });
    const found = await store.listHeartbeats({ workspace: 'acme' });
    const uuid = 'refused' in found ? '' : (found.find(({ slug }) => slug === 'hourly')?.uuid ?? '');
    await store.pingHeartbeat({ uuid, kind: 'fail', rid: null, output: null, exitStatus: null });
  });
  assert.match((await cli.run(['status'])).stdout, /^heartbeats +1 new, 1 down: acme\/hourly$/m);
});

test.run();

const aTeam = () => Cli.ofTeam({ channels: ['alerts', 'builds'] }, 'base_url = "https://push.example.com/api"');
