import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Webhook } from '../../src/store/calls.ts';
import { InProcessCli as Cli } from '../support/cli.ts';

const test = suite('cli: webhooks');
const URL = 'https://hooks.example.com/pushctl';

test('A webhook is added with its secret, listed, shown, changed, rotated, tested, disabled and removed', async () => {
  const cli = await Cli.ofTeam();
  const added = await cli.json<{ secret: string; webhook: Webhook }>(['webhook', 'add', 'acme', URL]);
  assert.match(added.secret, /^whsec_[A-Za-z0-9+/]{32}$/);
  const { id } = added.webhook;
  assert.equal([added.webhook.status, added.webhook.kinds.length], ['active', 9]);
  const webhook = async (verb: string, ...rest: readonly string[]) =>
    (await cli.json<{ webhook: Webhook }>(['webhook', verb, 'acme', id, ...rest])).webhook;
  assert.equal(await webhook('show'), added.webhook);
  const list = await cli.run(['webhook', 'list', 'acme']);
  assert.match(list.stdout, `${id}  ${URL}  active  0`);
  assert.not.match(list.stdout, added.secret);
  const changed = await webhook('change', '--kind', 'alert.opened', '--kind', 'heartbeat.down');
  assert.equal([changed.kinds, changed.url], [['alert.opened', 'heartbeat.down'], URL]);
  const rotated = await cli.json<{ secret: string }>(['webhook', 'rotate', 'acme', id]);
  assert.is.not(rotated.secret, added.secret);
  assert.is((await webhook('test')).waiting, 1);
  const disabled = await webhook('change', '--disable');
  assert.equal([disabled.status, disabled.waiting], ['disabled', 0]);
  assert.match(await cli.failure(1, ['webhook', 'test', 'acme', id]), `pushctl webhook change acme ${id} --enable`);
  assert.is((await webhook('change', '--enable')).status, 'active');
  assert.is((await webhook('remove')).id, id);
  assert.match((await cli.run(['webhook', 'list', 'acme'])).stdout, 'No webhooks yet.');
});

test('Errors say what is wrong and what to do', async () => {
  const cli = await Cli.ofTeam();
  const add = (url: string, ...rest: readonly string[]) => cli.failure(2, ['webhook', 'add', 'acme', url, ...rest]);
  assert.match(await add('http://hooks.example.com/'), 'The url must be an https address');
  assert.match(await add('https://169.254.169.254/latest'), 'webhooks.allow_private');
  assert.match(await add('https://0x7f.1/'), 'The url must not point to this machine');
  assert.match(await add(URL, '--kind', 'alert'), 'Expected alert.opened or');
  const { webhook } = await cli.json<{ webhook: Webhook }>(['webhook', 'add', 'acme', URL]);
  assert.match(await cli.failure(2, ['webhook', 'change', 'acme', webhook.id]), 'nothing to change');
  assert.match(await cli.failure(1, ['webhook', 'show', 'acme', 'whk_0000000000000000']), 'webhook list acme');
});

test('An operator may allow addresses of their own network', async () => {
  const cli = await Cli.ofTeam({}, '[webhooks]\nallow_private = true');
  const { webhook } = await cli.json<{ webhook: Webhook }>(['webhook', 'add', 'acme', 'https://10.0.0.7/in']);
  assert.is(webhook.url, 'https://10.0.0.7/in');
});

test.run();
