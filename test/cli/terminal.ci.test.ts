import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entryUrl } from '../../src/process/entry-points.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { Cli } from '../support/cli.ts';
import { skipWhere } from '../support/skip.ts';
import { openScreen, type Screen, tmuxObstacle } from '../support/tmux.ts';
import { aWorkspace } from '../support/workspace.ts';

const test = suite('cli: terminal');
const onScreen = skipWhere(tmuxObstacle(), test);
const MAIN = fileURLToPath(entryUrl('cli/main'));

for (const { keys, does } of [
  { keys: ['no', 'Enter'], does: 'Another answer than the name' },
  { keys: ['C-c'], does: 'Ctrl-C' },
  { keys: ['C-d'], does: 'Ctrl-D' },
]) {
  onScreen(`${does} deletes nothing, and is no bug.`, async () => {
    const cli = new Cli();
    await cli.json(['workspace', 'create', 'acme']);
    await withScreen(cli, ['workspace', 'delete', 'acme'], async (screen) => {
      await screen.waitFor(/Type "acme" to go on/);
      screen.type(...keys);
      const text = await screen.waitFor(/exit code 1/);
      assert.match(text, 'pushctl: nothing was deleted');
      assert.not.match(text, 'bug');
    });
    await cli.json(['workspace', 'show', 'acme']);
  });
}

onScreen('The name deletes the workspace.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  await withScreen(cli, ['workspace', 'delete', 'acme'], async (screen) => {
    await screen.waitFor(/Type "acme" to go on/);
    screen.type('acme', 'Enter');
    assert.match(await screen.waitFor(/exit code 0/), 'Deleted the workspace acme.');
  });
});

onScreen('Ctrl-C ends the demo as cleanly as a signal does, although Ink also listens.', async () => {
  const cli = new Cli();
  await withScreen(cli, ['demo', '--port', '0'], async (screen) => {
    await screen.waitFor(/2 pushes arrived/);
    screen.type('C-c');
    await screen.waitFor(/exit code 0/);
  });
  for (const file of ['pushctl.sock', 'owner.json']) assert.not(existsSync(join(cli.dataDir, file)), file);
});

for (const { what, second, says } of [
  { what: 'is taken', second: 'correct horse battery', says: /ada@example\.com has a new password[\s\S]*exit code 0/ },
  {
    what: 'changes nothing where the second differs',
    second: 'correct horse batterie',
    says: /The passwords differ\. Nothing was changed\.\s+exit code 1/,
  },
]) {
  onScreen(`A password is typed twice, never shown, and ${what}.`, async () => {
    const cli = new Cli();
    await cli.populate((store) => aWorkspace(store, { channels: [] }));
    await withScreen(cli, ['member', 'password', ADA], async (screen) => {
      await screen.waitFor(/Password \(not shown\):/);
      screen.type('correct horse batteryx', 'BSpace', 'Enter');
      await screen.waitFor(/Repeat the password:/);
      screen.type(second, 'Enter');
      assert.not.match(await screen.waitFor(says), /horse/);
    });
  });
}

onScreen(
  'init asks for the first owner even if a new service has made an empty database, and for no second owner.',
  async () => {
    const cli = new Cli();
    await cli.populate(async () => {});
    const unanswered = [/clients reach it/, /Apple/, /Firebase/, /browsers/];
    const file = join(cli.folder, 'pushctl.toml');
    const init = ['init', '--listen', '127.0.0.1:0'];
    await withScreen(cli, init, async (screen) => {
      for (const question of unanswered) await answer(screen, question);
      await answer(screen, /Email of the first owner.*: /, ADA);
      await answer(screen, /Name of the workspace/);
      await answer(screen, /Name of the first channel/);
      assert.match(await screen.waitFor(/exit code 0/), `${ADA} can sign in here`);
    });
    rmSync(file);
    await withScreen(cli, init, async (screen) => {
      for (const question of unanswered) await answer(screen, question);
      assert.not.match(await screen.waitFor(/exit code 0/), 'first owner');
    });
  },
);

for (const { answer, does, withdrawn } of [
  {
    answer: 'send',
    does: /Restored .*1 event\.[\s\S]*2 pushes queued in the backup will be sent[\s\S]*exit code 0/,
    withdrawn: 0,
  },
  { answer: 'withdraw', does: /2 pushes queued in the backup will not be sent[\s\S]*exit code 0/, withdrawn: 2 },
  { answer: 'perhaps', does: /nothing was changed\s+exit code 1/, withdrawn: 0 },
]) {
  onScreen(`restore asks what to do with what waits in the backup, before it does anything: ${answer}.`, async () => {
    const cli = new Cli();
    const file = join(cli.folder, 'backup.db');
    await cli.populate(async (store) => void (await (await aWorkspace(store, { devices: { ios: 2 } })).accept()));
    await cli.json(['backup', file]);
    await withScreen(cli, ['restore', file], async (screen) => {
      await screen.waitFor(/2 pushes were queued in the backup.*"send" or "withdraw" them\?/s);
      screen.type(answer, 'Enter');
      await screen.waitFor(does);
    });
    const { events } = await cli.json<{ events: { deliveries: { withdrawn: number } }[] }>(['event', 'list', 'acme']);
    assert.equal(
      events.map(({ deliveries }) => deliveries.withdrawn),
      [withdrawn],
    );
    assert.equal(
      readdirSync(cli.folder).filter((name) => name.startsWith('backup.db')),
      ['backup.db'],
    );
  });
}

onScreen('Ctrl-C while a password is typed changes nothing, and is no bug.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  await withScreen(cli, ['member', 'add', 'acme', ADA, '--password-stdin'], async (screen) => {
    await screen.waitFor(/Password \(not shown\):/);
    screen.type('secret', 'C-c');
    assert.not.match(await screen.waitFor(/Nothing was changed\.\s+exit code 1/), /secret|bug/);
  });
  assert.equal(await cli.json(['member', 'list', 'acme']), { members: [] });
});

onScreen('NO_COLOR leaves the demo its live view, and an import its progress.', async () => {
  const cli = new Cli();
  const env = { NO_COLOR: '1' };
  await withScreen(
    cli,
    ['demo', '--port', '0'],
    async (screen) => {
      await screen.waitFor(/✓ .* iPhone[\s\S]*2 pushes arrived/);
      assert.not.ok(screen.read(true).includes('\u001b'));
      const line = JSON.stringify({ platform: 'android', token: androidToken('import') });
      writeFileSync(join(cli.folder, 'devices.ndjson'), `${line}\n`);
      const args = ['device', 'import', 'demo', 'you@example.com', join(cli.folder, 'devices.ndjson')];
      await withScreen(cli, args, (progress) => progress.waitFor(/1 of 1 device registered[\s\S]*exit code 0/), env);
    },
    env,
  );
});

async function answer(screen: Screen, question: RegExp, text?: string): Promise<void> {
  await screen.waitFor(question);
  screen.type(...(text === undefined ? [] : [text]), 'Enter');
}

async function withScreen(
  cli: Cli,
  args: readonly string[],
  use: (screen: Screen) => Promise<unknown>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { HOME: cli.folder, PUSHCTL_CONFIG: join(cli.folder, 'pushctl.toml'), ...variables };
  const screen = openScreen([process.execPath, MAIN, '--data-dir', cli.dataDir, ...args], { env });
  try {
    await use(screen);
  } finally {
    screen.close();
  }
}

test.run();
