import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Cli } from '../support/cli.ts';

const test = suite('cli: usage');

test('Every verb has an example in its help, and help is no failure.', async () => {
  const cli = new Cli();
  const seen: string[] = [];
  const visit = async (path: readonly string[]): Promise<void> => {
    const { exitCode, stdout, stderr } = await cli.run([...path, '--help']);
    assert.equal([exitCode, stderr], [0, ''], path.join(' '));
    assert.match(stdout, /Examples:\n {2}\$ /, `no example in: pushctl ${path.join(' ')} --help`);
    seen.push(path.join(' '));
    await Promise.all(verbsIn(stdout).map((verb) => visit([...path, verb])));
  };
  await visit([]);
  for (const verb of ['workspace set-plan', 'device import', 'config check', 'serve', 'demo', 'sandbox', 'explain']) {
    assert.ok(seen.includes(verb), verb);
  }
});

test('Wrong usage exits 2, says what is wrong on stderr and nothing on stdout.', async () => {
  const cli = new Cli();
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['frobnicate'], /^pushctl: unknown command 'frobnicate'/],
    [['workspace', 'lst'], /Did you mean list\?/],
    [['workspace', 'create'], /missing required argument 'slug'/],
    [['workspace', 'list', 'too', 'much'], /too many arguments/],
    [['workspace', 'list', '--frob'], /unknown option '--frob'/],
    [['key', 'issue', 'acme', '--expires', 'soon'], /Expected a duration such as/],
    [['key', 'issue', 'acme', '--scope', 'everything'], /Expected events:write or events:read/],
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

test('The version is printed alone.', async () => {
  const { exitCode, stdout } = await new Cli().run(['--version']);
  assert.is(exitCode, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test('An unknown name exits 1 and names the nearest one.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  assert.match(await cli.failure(1, ['workspace', 'show', 'acm']), /^pushctl: .*"acm".*"acme"/);
  assert.match(await cli.failure(1, ['channel', 'list', 'amce', '--json']), /"acme"/);
});

test('A wrong configuration stops every verb with exit code 2, before anything is opened.', async () => {
  const cli = new Cli('[delivery]\nttl = "soon"\nthread = 1');
  for (const args of [['workspace', 'list'], ['serve'], ['config', 'check']]) {
    const said = await cli.failure(2, args);
    assert.match(said, 'has 2 mistakes; nothing was started');
    assert.match(said, 'delivery.ttl is "soon"');
    assert.match(said, 'delivery.thread: no such setting; did you mean delivery.threads?');
  }
});

test('A configuration that is right is summed up, and shown whole as JSON.', async () => {
  const cli = new Cli('[fcm]\nservice_account_file = "account.json"');
  const { stdout } = await cli.run(['config', 'check']);
  assert.match(stdout, /pushes go by\s+fcm/);
  const { config } = await cli.json<{ config: { fcm: { style: string } } }>(['config', 'check']);
  assert.is(config.fcm.style, 'data');
});

test('--data-dir wins over the environment.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'here']);
  const elsewhere = await cli.json(['workspace', 'list', '--data-dir', `${cli.folder}/elsewhere`]);
  assert.equal(elsewhere, { workspaces: [] });
});

/** The verbs listed in a help text, whatever the heading of their group. */
function verbsIn(help: string): string[] {
  const afterOptions = help.slice(help.lastIndexOf('-h, --help'));
  const lines = afterOptions.split('\n').slice(1);
  const names = lines.map((line) => /^ {2}([a-z][a-z-]*)(?: |$)/.exec(line)?.[1]);
  return names.filter((name) => name !== undefined && name !== 'help') as string[];
}

test.run();
