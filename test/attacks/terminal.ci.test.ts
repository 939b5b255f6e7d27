import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli, type CliOptions } from '../support/cli.ts';
import { aWorkspace } from '../support/workspace.ts';

/**
 * Clears the screen, sets the title, red as our own errors are, a C1 escape, a bidi override, a line separator, a zero
 * width space.
 */
const NASTY = '\u001b[2J\u001b]0;owned\u0007\u001b[31m\u009b31m\u202egpj\u2028next\u200b';
/** All that a terminal would obey, and what turns or hides text; line ends are what lines end with. */
const STEERING = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u;

async function calm(cli: Cli, args: readonly string[], options: CliOptions = {}): Promise<string> {
  const { stdout, stderr } = await cli.run(args, options);
  assert.not.match(stdout, STEERING, `stdout of pushctl ${JSON.stringify(args)}`);
  assert.not.match(stderr, STEERING, `stderr of pushctl ${JSON.stringify(args)}`);
  return stdout + stderr;
}

/** A service that answers otherwise than pushctl would. */
async function withService(answer: RequestListener, use: (baseUrl: string) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('no word of the command line reaches the terminal as it is', async () => {
  const cli = new Cli();
  for (const args of [
    [NASTY],
    ['workspace', NASTY],
    ['workspace', 'list', `--${NASTY}`],
    ['workspace', 'list', NASTY],
    ['workspace', 'show', NASTY],
    ['workspace', 'create', NASTY, '--json'],
    ['key', 'issue', 'acme', '--expires', NASTY],
    ['member', 'add', 'acme', `a${NASTY}@example.com`],
    ['explain', NASTY],
    ['event', 'show', NASTY],
    ['--config', `/nowhere/${NASTY}`, 'config', 'check'],
  ]) {
    assert.ok((await calm(cli, args)).length > 0, JSON.stringify(args));
  }
});

test('no line of an imported file reaches the terminal as it is', async () => {
  const cli = new Cli();
  await cli.populate((store) => aWorkspace(store, { channels: [] }));
  const lines = [{ [NASTY]: 1 }, { platform: NASTY, token: 'x' }, { platform: 'ios', token: NASTY }, { token: NASTY }];
  const input = lines.map((line) => JSON.stringify(line)).join('\n');
  const output = await calm(cli, ['device', 'import', 'acme', ADA, '-'], { input });
  assert.match(output, '4 lines are wrong');
});

test('names are stored without characters that steer a terminal, and reach it without hidden ones', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme', '--name', NASTY]);
  await calm(cli, ['workspace', 'list']);
  await calm(cli, ['workspace', 'list', '--json']);
  const { workspaces } = await cli.json<{ workspaces: { name: string }[] }>(['workspace', 'list']);
  assert.is(workspaces[0]?.name, 'gpj next\u200b');
});

test('any answer to `send` steers nothing, and is not read beyond 64 KiB', async () => {
  const cli = new Cli();
  const env = { PUSHCTL_API_KEY: 'pctl_x' };
  const send = (baseUrl: string, ...more: string[]) =>
    calm(cli, ['send', 'alerts', 'Hello', '--server', baseUrl, ...more], { env });
  for (const [status, body] of [
    [422, { message: NASTY, errors: { title: [NASTY] } }],
    [418, { message: NASTY }],
    [202, { event: { public_id: NASTY, target_device_count: 1 } }],
  ] as const) {
    await withService(
      (_, response) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
      async (baseUrl) => {
        await send(baseUrl);
        await send(baseUrl, '--json');
      },
    );
  }
  const piece = Buffer.alloc(16_384, 'x');
  let sent = 0;
  const endless: RequestListener = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(piece)) sent += piece.length;
    };
    response.on('drain', more).writeHead(202, { 'Content-Type': 'application/json' });
    response.write('"');
    more();
  };
  await withService(endless, async (baseUrl) => assert.match(await send(baseUrl), 'larger than 65536 bytes'));
  assert.ok(sent < 64 * 1024 ** 2, `${sent} bytes were taken`);
});

test('an answer that only looks like one of pushctl is reported as that', async () => {
  const cli = new Cli();
  const env = { PUSHCTL_API_KEY: 'pctl_x' };
  for (const [status, body] of [
    [202, 'null'],
    [200, '1'],
    [202, '{"event":null}'],
    [202, '{"event":{"public_id":"evt_1"}}'],
    [200, '{"event":{"target_device_count":1}}'],
    [422, 'null'],
    [503, 'null'],
  ] as const) {
    await withService(
      (_, response) => response.writeHead(status).end(body),
      async (baseUrl) => {
        const args = ['send', 'alerts', 'Hello', '--server', baseUrl, '--retry-for', '0s'];
        const { exitCode, stdout, stderr } = await cli.run(args, { env });
        assert.is.not(exitCode, 0, body);
        assert.is(stdout, '');
        assert.not.match(stderr, 'this is a bug');
      },
    );
  }
});

test.run();
