import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CliResult, InProcessCli } from '../support/cli.ts';
import { answer, type ServiceAnswer, type Taken, withService } from '../support/posting-service.ts';

const ENV = { PUSHCTL_API_KEY: 'pctl_test' };
const EVENT = { public_id: 'evt_01m7yq1whvehx9w1n0h5r0c6ct', target_device_count: 1 };
const QUEUED = answer(202, { event: EVENT });
const MAIL = 'Subject: Disk full\nTo: Builds <builds@db-1>, deploys+x@db-1\n\ndb-1 has 2 GB left\n';

/** Runs `sendmail` once, which posts to a service with these answers. */
async function sendmail(
  args: readonly string[],
  { input = MAIL, answers = [QUEUED, QUEUED], config = '' }: Partial<Given> = {},
): Promise<CliResult & { readonly taken: readonly Taken[] }> {
  const cli = new InProcessCli();
  let result: CliResult | null = null;
  const taken = await withService(answers, async (server) => {
    writeFileSync(join(cli.folder, 'pushctl.toml'), `base_url = "${server}"\n${config}`);
    result = await cli.run(['sendmail', ...args], { env: config.includes('key_file') ? {} : ENV, input });
  });
  if (result === null) throw new Error('it did not run');
  return { ...(result as CliResult), taken };
}

interface Given {
  readonly input: string;
  readonly answers: readonly ServiceAnswer[];
  readonly config: string;
}

/** How cron, cronie, mdadm and bsd-mailx call it, and git's send-email. */
const CALLS = [
  ['-FCronDaemon', '-i', '-B8BITMIME', '-oem', 'builds'],
  ['-FCronDaemon', '-i', '-odi', '-oem', '-oi', '-t', '-f', 'root'],
  ['-t'],
  ['-i', '-t'],
  ['-oi', '-oem', '-f', 'root@db-1', '--', 'builds'],
  ['-i', '-f', '', '-r', 'root', '-N', 'never', '-V', 'x', '-Zunknown', 'builds@db-1'],
];

test('a mail becomes an event for each way to call it (cron and others), and nothing is printed', async () => {
  for (const call of CALLS) {
    const { exitCode, stdout, stderr, taken } = await sendmail(call, { config: '[sendmail]\nchannel = "alerts"' });
    assert.equal([exitCode, stdout, stderr], [0, '', ''], call.join(' '));
    const [{ idempotency_key: key, ...event } = {}, ...more] = taken;
    assert.equal(event, {
      title: 'Disk full',
      description: 'db-1 has 2 GB left',
      channel: 'alerts',
    });
    assert.match(String(key), /^pushctl-.*:alerts$/);
    assert.is(more.length, 0);
  }
});

test('without a configured channel the names of the recipients are channels', async () => {
  const channels = async (...args: string[]) => (await sendmail(args)).taken.map(({ channel }) => channel);
  assert.equal(await channels('builds', 'builds@db-1'), ['builds']);
  assert.equal(await channels('-t'), ['builds', 'deploys']);
  assert.equal(await channels('--channel', 'alerts', '-t'), ['alerts']);
  const none = await sendmail(['-t'], { input: 'Subject: x\n\ny' });
  assert.is(none.exitCode, 64);
  assert.match(none.stderr, 'no recipient: name a channel, or set [sendmail] channel');
  const many = Array.from({ length: 11 }, (_, place) => `c${place}`);
  assert.is((await sendmail(many)).exitCode, 64);
});

test('a line with a dot alone ends the mail, unless -i or -oi says otherwise', async () => {
  const input = 'Subject: x\n\nfirst\n.\nsecond\n';
  const text = async (...args: string[]) => (await sendmail([...args, 'builds'], { input })).taken[0]?.description;
  assert.is(await text(), 'first');
  assert.is(await text('-i'), 'first\n.\nsecond');
  assert.is(await text('-oi'), 'first\n.\nsecond');
});

test('endless output of a job is read to its end, and shortened', async () => {
  const { exitCode, taken } = await sendmail(['builds'], { input: `Subject: x\n\n${'much\n'.repeat(1_000_000)}` });
  assert.is(exitCode, 0);
  assert.is([...String(taken[0]?.description)].length, 1_000);
});

test('the key comes from the file that the configuration names', async () => {
  const cli = new InProcessCli();
  const file = join(cli.folder, 'key');
  writeFileSync(file, 'pctl_test\n');
  const config = `[sendmail]\nkey_file = "${file}"`;
  assert.is((await sendmail(['builds'], { config })).exitCode, 0);
  const missing = await sendmail(['builds'], { config: '[sendmail]\nkey_file = "/nonexistent.key"' });
  assert.is(missing.exitCode, 78);
  assert.match(missing.stderr, 'the key file /nonexistent.key does not exist');
});

test('without a key it says how to get a key, and exits as for a missing configuration', async () => {
  const { exitCode, stdout, stderr } = await new InProcessCli().run(['sendmail', '-FCronDaemon', '-i', 'root'], {
    input: MAIL,
  });
  assert.equal([exitCode, stdout], [78, '']);
  assert.match(stderr, /^pushctl: sendmail has no API key to post with: set key_file below \[sendmail\] in \/etc\//);
});

test('the exit code says what the service answered, as mailers expect', async () => {
  for (const [status, expected] of [
    [401, 77],
    [403, 77],
    [404, 67],
    [413, 65],
    [422, 65],
    [405, 69],
  ] as const) {
    const { exitCode, stderr } = await sendmail(['builds'], { answers: [answer(status, { message: 'No.' })] });
    assert.is(exitCode, expected, String(status));
    assert.is(stderr, `pushctl: the service answered ${status}: No.\n`);
  }
  const busy = answer(503, { message: 'Busy.' }, { 'Retry-After': '9' });
  assert.is((await sendmail(['--retry-for', '0s', 'builds'], { answers: [busy] })).exitCode, 75);
});

test('a mail without any text is unusable, and an automatic reply is passed over', async () => {
  assert.is((await sendmail(['builds'], { input: '\n' })).exitCode, 65);
  const away = await sendmail(['builds'], { input: 'Subject: Away\nAuto-Submitted: auto-replied\n\nx' });
  assert.equal([away.exitCode, away.taken.length], [0, 0]);
  assert.match(away.stderr, 'Automatic replies are ignored.');
});

test('an unsupported request is refused with a word', async () => {
  for (const flag of ['-bs', '-bp', '-bd', '-q', '-q30m']) {
    const { exitCode, stderr, taken } = await sendmail([flag]);
    assert.equal([exitCode, taken.length], [64, 0], flag);
    assert.match(stderr, `does not support ${flag.slice(0, flag.startsWith('-q') ? 2 : 3)}`);
  }
  assert.is((await sendmail(['-bm', 'builds'])).exitCode, 0);
  const typo = await sendmail(['--chanel', 'alerts']);
  assert.equal([typo.exitCode, typo.stderr], [64, "pushctl: unknown option '--chanel'\n"]);
  assert.is((await sendmail(['--retry-for', 'ever'])).exitCode, 64);
});

test.run();
