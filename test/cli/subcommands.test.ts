import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiKey, Channel, Device, Member, Plan, Workspace } from '../../src/store/calls.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { valuesOf } from '../support/values-of.ts';
import { populate } from '../support/workspace.ts';

const test = suite('cli: verbs');
const IOS_TOKEN = 'ab'.repeat(32);

test('A workspace is created, listed, shown, suspended, activated, put on a plan and deleted.', async () => {
  const cli = new Cli();
  const { plan } = await cli.json<{ plan: Plan }>(['plan', 'set', 'small', '--events', '10000']);
  assert.equal(plan, { name: 'small', monthly_event_allowance: 10_000 });
  const created = await cli.json<{ workspace: Workspace }>(['workspace', 'create', 'acme', '--name', 'Acme Ltd']);
  const { created_at, ...rest } = created.workspace;
  assert.equal(rest, { slug: 'acme', name: 'Acme Ltd', status: 'active', plan: 'unlimited' });
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);

  const suspended = await cli.json<{ workspace: Workspace }>(['workspace', 'suspend', 'acme']);
  assert.is(suspended.workspace.status, 'suspended');
  const activated = await cli.json<{ workspace: Workspace }>(['workspace', 'activate', 'acme']);
  assert.is(activated.workspace.status, 'active');
  const moved = await cli.json<{ workspace: Workspace }>(['workspace', 'set-plan', 'acme', 'small']);
  assert.is(moved.workspace.plan, 'small');
  const shown = await cli.json<{ workspace: { events_this_month: number } }>(['workspace', 'show', 'acme']);
  assert.is(shown.workspace.events_this_month, 0);
  const deleted = await cli.json<{ workspace: Workspace }>(['workspace', 'delete', 'acme', '--yes']);
  assert.is(deleted.workspace.slug, 'acme');
  assert.equal(await cli.json(['workspace', 'list']), { workspaces: [] });
});

test('A deletion without a terminal to ask on must be confirmed with --yes.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  assert.match(await cli.failure(2, ['workspace', 'delete', 'acme']), '--yes');
  assert.is((await cli.json<{ workspaces: Workspace[] }>(['workspace', 'list'])).workspaces.length, 1);
});

test('Plans are listed, and one is made unlimited.', async () => {
  const cli = new Cli();
  await cli.json(['plan', 'set', 'large', '--events', 'unlimited']);
  const { plans } = await cli.json<{ plans: Plan[] }>(['plan', 'list']);
  assert.equal(
    plans.find(({ name }) => name === 'large'),
    { name: 'large', monthly_event_allowance: null },
  );
});

test('A channel is created, listed, deactivated, activated and deleted.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  const { channel } = await cli.json<{ channel: Channel }>(['channel', 'create', 'acme', 'builds', '--name', 'Builds']);
  assert.equal(channel, {
    slug: 'builds',
    name: 'Builds',
    status: 'active',
    device_count: 0,
    insist: null,
    quiet: null,
    rings: null,
  });
  const off = await cli.json<{ channel: Channel }>(['channel', 'deactivate', 'acme', 'builds']);
  assert.is(off.channel.status, 'inactive');
  const on = await cli.json<{ channel: Channel }>(['channel', 'activate', 'acme', 'builds']);
  assert.is(on.channel.status, 'active');
  assert.equal(await cli.json(['channel', 'list', 'acme']), { channels: [channel] });
  assert.match(await cli.failure(2, ['channel', 'delete', 'acme', 'builds']), '--yes');
  assert.equal(await cli.json(['channel', 'delete', 'acme', 'builds', '--yes']), { channel });
  assert.equal(await cli.json(['channel', 'list', 'acme']), { channels: [] });
});

test('A key is issued with its scopes, expiry and burst, listed without its secret, rotated and revoked.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  const options = [
    '--name',
    'ci',
    '--scope',
    'events:write',
    '--scope',
    'events:read',
    '--expires',
    '90d',
    '--burst',
    '5',
    '--level',
    'error',
    '--urgency',
    'time_sensitive',
  ];
  const issued = await cli.json<{ key: string; api_key: ApiKey }>(['key', 'issue', 'acme', ...options]);
  assert.match(issued.key, new RegExp(`^pctl_${issued.api_key.id}_[0-9a-z]{36}$`));
  assert.equal(issued.api_key.scopes, ['events:write', 'events:read']);
  assert.is(issued.api_key.burst_per_minute, 5);
  const lifeMs = Date.parse(issued.api_key.expires_at ?? '') - Date.parse(issued.api_key.created_at);
  assert.is(lifeMs, 90 * 86_400_000);

  const rotated = await cli.json<{ key: string; api_key: ApiKey }>([
    'key',
    'rotate',
    issued.api_key.id,
    '--grace',
    '1h',
  ]);
  assert.is.not(rotated.key, issued.key);
  assert.equal(rotated.api_key.scopes, issued.api_key.scopes);
  assert.equal([rotated.api_key.level, rotated.api_key.delivery_urgency], ['error', 'time_sensitive']);
  const conflict = await cli.failure(1, ['key', 'rotate', issued.api_key.id]);
  assert.match(conflict, new RegExp(`"${rotated.api_key.id}" took its place\\. .*--again`));
  const revoked = await cli.json<{ api_key: ApiKey }>(['key', 'revoke', rotated.api_key.id]);
  assert.is(revoked.api_key.status, 'revoked');
  const list = await cli.run(['key', 'list', 'acme', '--json']);
  assert.is((JSON.parse(list.stdout) as { api_keys: ApiKey[] }).api_keys.length, 2);
  assert.not.match(list.stdout, issued.key.slice(-36));
  assert.match((await cli.run(['key', 'list', 'acme'])).stdout, 'error time_sensitive');
  assert.match((await cli.run(['audit'])).stdout, /key\.issue.*, error, time_sensitive/);
});

test('A key is bound to the channels that it is issued for.', async () => {
  const cli = await Cli.ofTeam({ channels: ['alerts', 'builds'] });
  const issue = ['key', 'issue', 'acme', '--channel', 'builds', '--channel', 'alerts'];
  const { api_key } = await cli.json<{ api_key: ApiKey }>(issue);
  assert.equal(api_key.channels, ['alerts', 'builds']);
  assert.match((await cli.run(['key', 'list', 'acme'])).stdout, 'alerts builds');
  assert.match(await cli.failure(2, ['key', 'issue', 'acme', '--channel', 'alert']), /no channel "alert".*"alerts"/);
});

test('A key may write events, and nothing more, unless other scopes are asked for.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  const { api_key } = await cli.json<{ api_key: ApiKey }>(['key', 'issue', 'acme']);
  assert.equal([api_key.scopes, api_key.expires_at, api_key.burst_per_minute], [['events:write'], null, null]);
});

test('A member is added with a password from standard input, listed and removed.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  const add = ['member', 'add', 'acme', 'Ada@Example.com', '--name', 'Ada', '--role', 'admin', '--password-stdin'];
  const { member } = await cli.json<{ member: Member }>(add, { input: 'correct horse battery\n' });
  assert.equal(member, { email: ADA, name: 'Ada', role: 'admin' });
  assert.equal(await cli.json(['member', 'list', 'acme']), { members: [member] });
  assert.equal(await cli.json(['member', 'remove', 'acme', ADA]), { member });
  assert.equal(await cli.json(['member', 'list', 'acme']), { members: [] });
});

test('A password that is too short is refused and no member is added.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  const message = await cli.failure(2, ['member', 'add', 'acme', 'a@example.com', '--password-stdin'], {
    input: 'short\n',
  });
  assert.match(message, 'at least 8 characters');
  assert.equal(await cli.json(['member', 'list', 'acme']), { members: [] });
});

test('A pairing code is ten unambiguous characters, good for 15 minutes, with a link and its QR code for a person.', async () => {
  const cli = await Cli.ofTeam();
  const before = Date.now();
  const pair = ['member', 'pair', ADA];
  const { pairing_code, link, expires_at } =
    await cli.json<Record<'pairing_code' | 'link' | 'expires_at', string>>(pair);
  assert.match(pairing_code, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
  assert.is(link, `http://127.0.0.1:8080/#pair=${pairing_code}`);
  const leftMs = Date.parse(expires_at) - before;
  assert.ok(leftMs >= 15 * 60_000 && leftMs < 16 * 60_000);
  const { stdout } = await cli.run(pair);
  assert.match(stdout, /█▀▀▀▀▀▀▀█/);
  assert.match(stdout, 'Server: http://127.0.0.1:8080/api');
  assert.match(stdout, /^Link: http:\/\/127\.0\.0\.1:8080\/#pair=\S{11}$/m);
  const withoutApp = await cli.json<{ link: string }>(pair, { env: { PUSHCTL_WEB_ENABLED: 'false' } });
  assert.match(withoutApp.link, /^pushctl:\/\/pair\?/);
});

test('A device is added, listed by member, tested and removed.', async () => {
  const cli = new Cli('[fcm]\nservice_account_file = "account.json"');
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['channel', 'create', 'acme', 'builds']);
  await cli.json(['member', 'add', 'acme', ADA]);
  const add = ['device', 'add', 'acme', ADA, '--subscribe', 'builds'];
  const options = ['--platform', 'android', '--token', androidToken('Pixel'), '--name', 'Pixel'];
  const { device } = await cli.json<{ device: Device }>([...add, ...options]);
  assert.equal([device.platform, device.environment, device.name, device.status], ['android', null, 'Pixel', 'active']);
  assert.equal(device.channels, ['builds']);
  const ios = [...add, '--platform', 'ios', '--environment', 'sandbox', '--token', IOS_TOKEN];
  assert.is((await cli.json<{ device: Device }>(ios)).device.environment, 'sandbox');
  const mine = await cli.json<{ devices: Device[] }>(['device', 'list', 'acme', '--email', ADA]);
  assert.is(mine.devices.length, 2);
  const { event } = await cli.json<{ event: { public_id: string } }>(['device', 'test', device.id]);
  assert.match(event.public_id, /^evt_[0-9a-z]{26}$/);
  const list = ['event', 'list', 'acme', '--since', '1h', '--search'];
  const found = await cli.json<{ events: { public_id: string }[] }>([...list, 'test PUSH']);
  assert.equal(valuesOf(found.events, 'public_id'), [event.public_id]);
  assert.match((await cli.run([...list, 'nothing like it'])).stdout, 'No such events.');
  const { event: later } = await cli.json<{ event: { public_id: string } }>(['device', 'test', device.id]);
  const behind = ['event', 'list', 'acme', '--after', event.public_id];
  const resumed = await cli.json<{ events: { public_id: string }[]; up_to: string }>(behind);
  assert.equal([resumed.events.map(({ public_id }) => public_id), resumed.up_to], [[later.public_id], later.public_id]);
  assert.match((await cli.run([...behind, '--type', 'deploy'])).stdout, 'No such events.');
  assert.match((await cli.run(['event', 'list', 'acme', '--until', '1h'])).stdout, 'No such events.');
  assert.match(
    (await cli.run(['event', 'list', 'acme', '--limit', '1', '--after', `evt_${'0'.repeat(26)}`])).stdout,
    `There is more: --after ${event.public_id}`,
  );
  assert.match(await cli.failure(2, [...behind, '--before', later.public_id]), '--before');
  await cli.json(['device', 'remove', device.id]);
  assert.is((await cli.json<{ devices: Device[] }>(['device', 'list', 'acme'])).devices.length, 1);
});

test('Statistics are one document, also before anything happened.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  const stats = await cli.json<{ events: number; channels: unknown[] }>(['stats', '--since', '7d']);
  assert.equal([stats.events, stats.channels], [0, []]);
});

test('A reason is explained in any case, and a misspelt reason names the nearest.', async () => {
  const cli = new Cli();
  const found = await cli.json<{ explanations: { reason: string; remedy: string }[] }>(['explain', 'baddevicetoken']);
  assert.is(found.explanations[0]?.reason, 'BadDeviceToken');
  assert.ok(found.explanations[0]?.remedy);
  assert.match(await cli.failure(1, ['explain', 'BadDeviceTokn']), 'Did you mean BadDeviceToken?');
});

test('People get tables, without colours if there is no terminal.', async () => {
  const cli = new Cli();
  await cli.json(['plan', 'set', 'small', '--events', '1000']);
  assert.match((await cli.run(['workspace', 'list'])).stdout, 'No workspaces yet.');
  await cli.json(['workspace', 'create', 'acme', '--name', 'Acme \u001b[31mred\u001b[0m']);
  const { stdout } = await cli.run(['workspace', 'list']);
  assert.match(stdout, /^SLUG {2}NAME {6}STATUS {2}PLAN {7}CREATED\nacme {2}Acme red {2}active/);
  assert.not.match(stdout, '\u001b');
});

test('A key for a sender comes with what to enter there, and needs exactly one channel.', async () => {
  const cli = new Cli('base_url = "https://push.example.com/api"');
  await cli.populate((store) => populate(store, { owner: null }));
  const issue = ['key', 'issue', 'acme', '--channel', 'alerts', '--for', 'slack'];
  const { key, configuration } = await cli.json<{ key: string; configuration: string }>(issue);
  assert.is(configuration, `https://push.example.com/senders/slack/${key}`);
  assert.match((await cli.run(issue)).stdout, 'For slack:\n\nhttps://push.example.com/senders/slack/pctl_');
  const scopesFor = async (format: string, ...options: string[]) => {
    const bound = ['key', 'issue', 'acme', '--channel', 'alerts', '--for', format, ...options];
    return (await cli.json<{ api_key: ApiKey }>(bound)).api_key.scopes;
  };
  assert.equal(await scopesFor('alertmanager'), ['events:write']);
  assert.equal(await scopesFor('pagerduty'), ['events:write', 'alerts:write']);
  assert.equal(await scopesFor('pagerduty', '--scope', 'events:write'), ['events:write']);
  assert.match(await cli.failure(2, ['key', 'issue', 'acme', '--for', 'ntfy']), 'exactly one --channel');
  assert.match(await cli.failure(2, [...issue, '--scope', 'events:read']), 'events:write');
  assert.is((await cli.json<{ api_keys: ApiKey[] }>(['key', 'list', 'acme'])).api_keys.length, 5);
});

test.run();
