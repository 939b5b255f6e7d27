import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restoreCredentials } from '../../src/sandbox/credentials.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { helpPages } from '../support/help.ts';
import { valuesOf } from '../support/values-of.ts';

const test = suite('cli: usage');

test('Each verb has an example in its help, the text fits 80 columns, and help is no failure.', async () => {
  const pages = await helpPages(new Cli());
  for (const [path, { exitCode, stdout, stderr }] of pages) {
    assert.equal([exitCode, stderr], [0, ''], path);
    assert.match(stdout, /Examples:\n {2}\$ /, `no example in: pushctl ${path} --help`);
    assert.not.match(stdout, /default: \d{6,}/, `milliseconds in: pushctl ${path} --help`);
    const wide = stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('  $ '));
    assert.equal(wide, [], `wider than 80 columns: pushctl ${path} --help`);
  }
  for (const verb of ['workspace set-plan', 'device import', 'config check', 'serve', 'demo', 'sandbox', 'explain']) {
    assert.ok(pages.has(verb), verb);
  }
});

test('`help` takes the whole path of a command.', async () => {
  const cli = new Cli();
  assert.equal(await cli.run(['help', 'key', 'issue']), await cli.run(['key', 'issue', '--help']));
  assert.match((await cli.run(['help'])).stdout, /^Usage: pushctl \[options\]/);
  assert.match(await cli.failure(2, ['help', 'key', 'frobnicate']), /^pushctl: unknown command 'frobnicate'/);
});

test('A command is found behind an option whose value is the name of another command.', async () => {
  const cli = new Cli();
  for (const before of [['--config', 'serve'], ['--json', '--data-dir', 'key'], ['--config=serve']]) {
    assert.match((await cli.run([...before, 'event', 'list', '--help'])).stdout, /^Usage: pushctl event list/);
  }
});

test('A deleted working directory is an error with advice, not a stack.', async () => {
  const cli = new Cli();
  const [gone, back] = [temporaryFolder(), process.cwd()];
  process.chdir(gone);
  rmSync(gone, { recursive: true });
  try {
    assert.is(
      await cli.failure(1, ['--config', 'mine.toml', 'init']),
      'pushctl: The working directory was deleted. Change to another directory and try again.\n',
    );
  } finally {
    process.chdir(back);
  }
});

test('Wrong usage exits 2, says what is wrong on stderr and nothing on stdout.', async () => {
  const cli = new Cli();
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['frobnicate'], /^pushctl: unknown command 'frobnicate'/],
    [['evnt', 'send'], /unknown command 'evnt'[\s\S]*Did you mean event\?/],
    [['workspace', 'lst'], /Did you mean list\?/],
    [['workspace', 'create'], /missing required argument 'slug'/],
    [['workspace', 'list', 'too', 'much'], /too many arguments/],
    [['event', 'cancel'], /missing required argument 'public_id'/],
    [['event', 'resend', 'evt_1', '--al'], /Did you mean --all\?/],
    [['device', 'unsubscribe', 'dev_1'], /missing required argument 'channel'/],
    [['device', 'move', 'dev_1'], /missing required argument 'email'/],
    [['workspace', 'list', '--frob'], /unknown option '--frob'/],
    [['key', 'issue', 'acme', '--expires', 'soon'], /Expected a duration such as/],
    [
      ['key', 'issue', 'acme', '--scope', 'everything'],
      /Expected events:write or events:read or alerts:write or heartbeats:write or heartbeats:ping/,
    ],
    [['plan', 'set', 'x'], /required option '--events/],
    [['plan', 'set', 'x', '--events', 'lots'], /Expected a whole number or "unlimited"/],
    [['device', 'add', 'acme', 'a@example.com', '--token', 'x'], /required option '--platform/],
    [['send', 'builds', 'Hello'], /^pushctl: no API key: set PUSHCTL_API_KEY/],
    [['workspace'], /Usage: pushctl workspace/],
    [[], /Usage: pushctl/],
  ];
  await Promise.all(
    cases.map(async ([args, expected]) => assert.match(await cli.failure(2, args), expected, args.join(' '))),
  );
});

test('The version is printed alone, and with --json as a document.', async () => {
  const cli = new Cli();
  const { exitCode, stdout } = await cli.run(['--version']);
  assert.is(exitCode, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+(?:\+[\w.]+)?\n$/);
  for (const args of [['-V'], ['version']]) assert.is((await cli.run(args)).stdout, stdout);
  for (const args of [['--version'], ['-V'], ['version']])
    assert.equal(await cli.json(args), { version: stdout.trim() });
});

test('Missing things are named, with what to do.', async () => {
  const cli = await Cli.ofTeam();
  const event = 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6';
  for (const [args, expected] of [
    [['event', 'cancel', event], /^pushctl: No event has the id "evt_.*pushctl event list/],
    [['event', 'resend', event], /^pushctl: No event has the id "evt_.*pushctl event list/],
    [['event', 'resend', event, '--all'], /^pushctl: No event has the id "evt_.*pushctl event list/],
    [['device', 'subscribe', 'dev_0123456789abcdef', 'builds'], /No device has the id .*pushctl device list/],
    [['device', 'move', 'dev_1', ADA], /No device has the id "dev_1"/],
  ] as const) {
    assert.match(await cli.failure(1, args), expected, args.join(' '));
  }
});

test('An unknown name exits 1 and names the nearest one.', async () => {
  const cli = await Cli.ofTeam();
  assert.match(await cli.failure(1, ['workspace', 'show', 'acm']), /^pushctl: .*"acm".*"acme"/);
  assert.match((await cli.run(['channel', 'list', 'amce', '--json'])).stderr, /"acme"/);
});

test('With --json a failure is one document on stdout, with its code and what to do; stderr says the same to a person.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'ops']);
  const broken = new Cli('listen = 3');
  for (const [of, exitCode, args, error] of [
    [cli, 1, ['workspace', 'show', 'acme'], { code: 'not_found', advice: /pushctl workspace list/ }],
    [cli, 2, ['workspace', 'create', 'no blanks'], { code: 'invalid', message: /the first a letter or digit/ }],
    [cli, 1, ['tail'], { code: 'failed', message: /no server runs/, advice: /`pushctl serve` starts one/ }],
    [cli, 2, ['send', 'a', 'b'], { code: 'wrong_usage', message: /^no API key$/, advice: /set PUSHCTL_API_KEY/ }],
    [cli, 2, ['workspace', 'lst'], { code: 'wrong_usage', message: /unknown command 'lst'/, advice: /--help/ }],
    [cli, 2, ['workspace'], { code: 'wrong_usage', message: /a command is missing/, advice: /--help/ }],
    [cli, 2, ['--frob'], { code: 'wrong_usage', message: /^unknown option '--frob'/, advice: /--help/ }],
    [broken, 2, ['workspace', 'list'], { code: 'wrong_configuration', message: /listen/ }],
  ] as const) {
    const result = await of.run(['--json', ...args]);
    assert.is(result.exitCode, exitCode, args.join(' '));
    const document = JSON.parse(result.stdout) as { error: { code: string; message: string; advice: string | null } };
    assert.equal(Object.keys(document), ['error']);
    assert.is(document.error.code, error.code, args.join(' '));
    if ('message' in error) assert.match(document.error.message, error.message);
    if ('advice' in error) assert.match(String(document.error.advice), error.advice);
    const plain = await of.failure(exitCode, args);
    assert.is(plain, result.stderr);
    if (plain.startsWith('pushctl: ')) assert.ok(plain.includes(document.error.message.split('\n')[0] ?? '?'), plain);
  }
});

test('A malformed name exits 2 like a malformed option and says what a name looks like.', async () => {
  const cli = await Cli.ofTeam();
  const device = ['device', 'add', 'acme', ADA, '--platform', 'ios', '--token', 'xyz'];
  for (const [args, expected] of [
    [['workspace', 'create', 'no blanks'], /the first a letter or digit/],
    [['workspace', 'create', 'fine', '--name', ' '], /must not be blank/],
    [['channel', 'create', 'acme', '-'], /the first a letter or digit/],
    [['plan', 'set', '*', '--events', '1'], /The name "\*" must be 1 to 63 letters/],
    [['member', 'add', 'acme', 'nobody'], /not an email address/],
    [device, /hexadecimal digits/],
    [['audit', '--before', 'yesterday'], /no position in this list/],
  ] as const) {
    assert.match(await cli.failure(2, args), expected, args.join(' '));
  }
});

test('A wrong configuration stops every verb with exit code 2, before anything is opened.', async () => {
  const cli = new Cli('[delivery]\nttl = "soon"\nthread = 1');
  for (const args of [['workspace', 'list'], ['serve'], ['config', 'check']]) {
    const message = await cli.failure(2, args);
    assert.match(message, 'has 2 mistakes; nothing was started');
    assert.match(message, 'delivery.ttl is "soon"');
    assert.match(message, 'delivery.thread: no such setting; did you mean delivery.threads?');
  }
});

test('Without a file the check calls no configuration right.', async () => {
  const cli = new Cli();
  rmSync(join(cli.folder, 'pushctl.toml'), { force: true });
  const { stdout } = await cli.run(['config', 'check'], { env: { PUSHCTL_CONFIG: '' } });
  assert.match(stdout, /^No file was read\. The environment and the defaults are right\.\n/);
});

test('A configuration that is right is summed up, and shown whole as JSON.', async () => {
  const cli = new Cli('[fcm]\nservice_account_file = "account.json"');
  const { serviceAccount } = await restoreCredentials(null, Date.now());
  writeFileSync(join(cli.folder, 'account.json'), JSON.stringify(serviceAccount), { mode: 0o600 });
  const { stdout } = await cli.run(['config', 'check']);
  assert.match(
    stdout,
    /^The configuration is right\.\n[\s\S]*pushes go by\s+fcm[\s\S]*ok {4}fcm: the service account is complete/,
  );
  const { config } = await cli.json<{ config: { fcm: { style: string } } }>(['config', 'check']);
  assert.is(config.fcm.style, 'data');
  assert.not.match(JSON.stringify(config), /"[a-z_]*[A-Z]\w*":/, 'a name in camelCase');
});

test('Every setting is listed with its value and its source.', async () => {
  const cli = new Cli('listen = "127.0.0.1:9000"\n[senders.hosts]\n"ntfy.example.com" = "ntfy"');
  const file = join(cli.folder, 'pushctl.toml');
  const { exitCode, stdout } = await cli.run(['config', 'show'], { env: { PUSHCTL_DELIVERY_TTL: '3h' } });
  assert.is(exitCode, 0);
  assert.match(stdout, `The file is ${file}.\n\nSETTING `);
  assert.match(stdout, /^listen +127\.0\.0\.1:9000 +\/.*pushctl\.toml$/m);
  assert.match(stdout, /^delivery\.ttl +3h +PUSHCTL_DELIVERY_TTL$/m);
  assert.match(stdout, /^delivery\.retry_max +15m +default$/m);
  assert.match(stdout, /^apns\.key_file +- +not set$/m);
  assert.match(stdout, /^senders\.hosts +ntfy\.example\.com = ntfy +\/.*pushctl\.toml$/m);
  const shown = await cli.json<{ file: string; settings: { setting: string }[] }>(['config', 'show']);
  assert.equal([shown.file, shown.settings[0]?.setting], [file, 'listen']);
});

test('The files that the configuration names are checked as well: all faults are reported, with what to do', async () => {
  const cli = new Cli(`
    [apns]
    key_file = "key.p8"
    key_id = "ABC123DEFG"
    team_id = "DEF123GHIJ"
    topic = "com.example.app"
    [fcm]
    service_account_file = "account.json"
    [tls]
    cert = "no.crt"
    key = "no.key"`);
  const { apnsKey, serviceAccount } = await restoreCredentials(null, Date.now());
  writeFileSync(join(cli.folder, 'key.p8'), apnsKey.pem, { mode: 0o644 });
  const { client_email: _, ...incomplete } = serviceAccount;
  writeFileSync(join(cli.folder, 'account.json'), JSON.stringify(incomplete), { mode: 0o600 });
  const { exitCode, stdout } = await cli.run(['config', 'check']);
  assert.is(exitCode, 1);
  assert.match(stdout, /^The settings are right, but the files or addresses in them are not\.$/m);
  assert.match(stdout, /^warn {2}apns\.key_file: other users can read .*\n {6}→ chmod 600 /m);
  assert.match(stdout, /^FAIL {2}fcm: .* has no client_email\..*\n {6}→ /m);
  assert.match(stdout, /^FAIL {2}tls\.key: .*no\.key does not exist; affected: certificate\n {6}→ /m);
  assert.match(stdout, /^ok {4}apns: the key file holds a key/m);
});

test('--data-dir wins over the environment.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'here']);
  const elsewhere = ['--data-dir', `${cli.folder}/elsewhere`];
  await cli.json(['workspace', 'create', 'there', ...elsewhere]);
  const { workspaces } = await cli.json<{ workspaces: { slug: string }[] }>(['workspace', 'list', ...elsewhere]);
  assert.equal(valuesOf(workspaces, 'slug'), ['there']);
});

test.run();
