import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entryUrl } from '../../src/process/entry-points.ts';
import { Cli, type RunningCli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { openScreen, tmuxObstacle } from '../support/tmux.ts';

const test = suite('cli: tail');
const onScreen = skipWhere(tmuxObstacle(), test);
const MAIN = fileURLToPath(entryUrl('cli/main'));

interface Shown {
  readonly opened: Resources;
  readonly cli: Cli;
  /** Ends the server. */
  end(): Promise<unknown>;
  /** Sends an event and answers its public id. */
  send(title: string): Promise<string>;
}

async function withDemo(use: (shown: Shown) => Promise<void>): Promise<void> {
  const cli = new Cli();
  await using opened = new Resources();
  const demo = cli.start(opened, ['demo', '--port', '0']);
  await demo.waitFor(/FCM took/);
  const [, server = ''] = await demo.waitFor(/^API +(\S+)$/m);
  const args = ['--key-file', join(cli.dataDir, 'demo-key'), '--server', server];
  const send = async (title: string) => {
    const sent = await cli.json<{ event: { public_id: string } }>(['send', 'hello', title, ...args]);
    return sent.event.public_id;
  };
  await use({ opened, cli, send, end: () => demo.stop() });
}

test('If no server runs, it says so.', async () => {
  assert.match(await new Cli().failure(1, ['tail']), /no server runs on .*`pushctl serve` starts one/);
});

test('Without a terminal each outcome is a line, with --json one JSON document.', () =>
  withDemo(async ({ opened, cli, send, end }) => {
    const plain = cli.start(opened, ['tail', '--workspace', 'demo']);
    const json = cli.start(opened, ['tail', '--json']);
    const eventId = await seenBy([plain, json], send);
    await plain.waitFor(new RegExp(`demo/hello  ${eventId}  fcm  accepted`));
    const [line = ''] = await json.waitFor(new RegExp(`^.*${eventId}.*"route":"fcm".*$`, 'm'));
    assert.is(JSON.parse(line).outcome, 'accepted');
    assert.match(JSON.parse(line).device_id, /^dev_/);

    const elsewhere = ['--workspace', 'demo', '--channel', 'hello', '--route', 'apns_sandbox'];
    const some = cli.start(opened, ['tail', '--json', ...elsewhere]);
    await seenBy([some], send);
    assert.not.match(some.output, '"route":"fcm"');

    for (const [options, expected] of [
      [['--workspace', 'demoo'], 'The nearest is "demo"'],
      [['--channel', 'helo'], 'The nearest is "hello"'],
      [['--workspace', 'demo', '--channel', 'helo'], 'Workspace "demo" has no channel "helo"'],
      [['--event', 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6'], 'No event has the id'],
    ] as const) {
      assert.match(await cli.failure(1, ['tail', ...options]), expected);
    }
    assert.match(await cli.failure(2, ['tail', '--route', 'pigeon']), /Allowed choices are apns_production/);

    await end();
    await plain.waitFor(/the server has stopped; waiting for it/);
    assert.is(await plain.stop('SIGINT'), 0);
    assert.is(await json.stop('SIGTERM'), 0);
    assert.not.match(json.output.replace(/^pushctl: .*\n/gm, ''), /^[^{]/m);
  }));

onScreen('On a terminal it draws the server at work, filters, follows the window, and q ends it.', () =>
  withDemo(async ({ cli, send }) => {
    const command = [process.execPath, MAIN, '--data-dir', cli.dataDir, 'tail'];
    const screen = openScreen(command, { env: { HOME: cli.folder, PUSHCTL_CONFIG: join(cli.folder, 'pushctl.toml') } });
    try {
      await screen.waitFor(/apns_sandbox +open/);
      await send('Look');
      await screen.waitFor(/latency p50[\s\S]*✓ demo\/hello apns_sandbox/);
      assert.equal(colorsOf(screen.read(true)), ['32'], 'green alone: the terminal’s own colour is read on any ground');
      screen.type('f', 'nothing', 'Enter');
      assert.not.match(await screen.waitFor(/outcomes with "nothing"\s*\n[^✓]*q quits/), /✓/);
      screen.type('Escape');
      await screen.waitFor(/Latest outcomes\s*\n.*✓/);
      screen.resize(50, 12);
      await screen.waitFor(/^.{0,50}\n(.*\n){9,10}.*q quits/);
      screen.type('p');
      await screen.waitFor(/paused/);
      screen.type('q');
      await screen.waitFor(/exit code 0/);
    } finally {
      screen.close();
    }
  }),
);

onScreen('Without colours it draws as it does with them.', () =>
  withDemo(async ({ cli, send }) => {
    const command = [process.execPath, MAIN, '--data-dir', cli.dataDir, 'tail'];
    const env = { HOME: cli.folder, PUSHCTL_CONFIG: join(cli.folder, 'pushctl.toml') };
    for (const without of [
      { command, env: { ...env, NO_COLOR: '1' } },
      { command: [...command, '--no-color'], env },
    ]) {
      const screen = openScreen(without.command, { env: without.env });
      try {
        await screen.waitFor(/apns_sandbox +open/);
        await send('Look');
        await screen.waitFor(/✓ demo\/hello apns_sandbox/);
        assert.equal(colorsOf(screen.read(true)), []);
        screen.type('q');
        await screen.waitFor(/exit code 0/);
      } finally {
        screen.close();
      }
    }
  }),
);

test.run();

/** The codes of the colours on a screen, each once. */
function colorsOf(styled: string): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one
  const codes = [...styled.matchAll(/\u001b\[([\d;]+)m/g)].flatMap(([, list = '']) => list.split(';'));
  return [...new Set(codes.filter((code) => /^[349]\d$/.test(code) && !['39', '49'].includes(code)))].sort();
}

/** Sends until everybody has seen an event: a watcher sees only what comes after it has begun. */
async function seenBy(watchers: readonly RunningCli[], send: Shown['send']): Promise<string> {
  for (;;) {
    const eventId = await send('Hi');
    if (watchers.every(({ output }) => output !== '')) {
      const last = await send('Seen by all');
      for (const watcher of watchers) await watcher.waitFor(new RegExp(last));
      return last;
    }
    assert.ok(eventId);
  }
}
