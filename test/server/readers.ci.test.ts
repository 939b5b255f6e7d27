import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Status } from '../../src/cli/status/collect.ts';
import { packagePath, packageVersion } from '../../src/process/package.ts';
import { CALL_NAMES, type CallName } from '../../src/store/calls.ts';
import { connectSocket, openItemStream } from '../../src/store/transports/socket-client.ts';
import { Cli, type CliOptions, type CliResult } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { problemIn } from '../support/problem.ts';
import { Resources } from '../support/resources.ts';
import { type Env, startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { until } from '../support/until.ts';

const READABLE: readonly CallName[] = ['stats', 'listRoutes', 'listEvents'];
/** No account has these numbers. */
const [READER, GROUP, STRANGER] = [64_001, 64_002, 64_003];

const test = suite('server: readers');

/** A server with a socket for reading, in a folder that its group may enter. */
async function withReaders(opened: Resources) {
  const path = join(temporaryFolder(), 'readers.sock');
  const started = await startTestServer(opened, { env: { PUSHCTL_READ_SOCKET: path } });
  return { ...started, path };
}

test('The socket for reading takes five calls, and every other is refused by its name and changes nothing', async () => {
  await using opened = new Resources();
  const { path, team } = await withReaders(opened);
  assert.is(statSync(path).mode & 0o777, 0o660);
  const before = await team.store.listAudit({ limit: 500 });
  const reader = await connectSocket({ path, version: packageVersion() });
  assert.ok(reader);
  for (const name of CALL_NAMES) {
    const ask = reader[name] as (args: unknown) => Promise<Record<string, unknown>>;
    const answer = await ask({ workspace: 'acme', slug: 'x', sinceMs: 0, limit: 10 });
    if (READABLE.includes(name)) assert.is(answer.refused, undefined, name);
    else assert.match(String(answer.message), `${name} is not answered on this socket, which is for reading alone: `);
  }
  const check = await openItemStream({
    path,
    version: packageVersion(),
    call: 'check',
    args: {},
    onItem: () => assert.unreachable(),
  });
  assert.is((await check?.ended)?.refused, 'forbidden');
  assert.equal(await team.store.listAudit({ limit: 500 }), before);
  await reader.close();
});

test('However many events are asked for there, no more than a page of them comes', async () => {
  await using opened = new Resources();
  const { path, team } = await withReaders(opened);
  const posted = Array.from({ length: 510 }, () => team.post());
  await Promise.all(posted);
  const reader = await connectSocket({ path, version: packageVersion() });
  for (const limit of [1_000_000, -1]) {
    const answer = await reader?.listEvents({ workspace: 'acme', limit });
    assert.ok(answer && 'events' in answer && answer.events.length <= 500 && answer.next !== null);
  }
  await reader?.close();
});

test('Neither a file nor the socket of another server makes way for it', async () => {
  await using opened = new Resources();
  const { path } = await withReaders(opened);
  const file = join(temporaryFolder(), 'mine');
  writeFileSync(file, 'mine');
  for (const [taken, why] of [
    [file, 'another file is at that path'],
    [path, 'another server listens there'],
  ] as const) {
    const { message } = await problemIn(startTestServer(opened, { env: { PUSHCTL_READ_SOCKET: taken } }));
    assert.match(message, `cannot create read_socket ${taken}: ${why}`);
  }
});

/** `pushctl` as another user, with the groups that are named. */
class CliOf extends Cli {
  readonly #who: readonly string[];
  readonly #env: Env;

  constructor(env: Env, uid: number, gid: number) {
    super();
    chmodSync(this.folder, 0o755);
    this.#env = env;
    this.#who = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  }

  override run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const { PUSHCTL_DATA_DIR = '', PUSHCTL_READ_SOCKET = '' } = this.#env;
    return super.run(args, { ...options, env: { PUSHCTL_DATA_DIR, PUSHCTL_READ_SOCKET, ...options.env } });
  }

  protected override command(): readonly string[] {
    return [...this.#who, ...super.command()];
  }
}

const isOpen = (folder: string): boolean => folder === '/' || (statSync(folder).mode & 0o5) === 0o5;
const obstacle = (): string | null => {
  if (process.geteuid?.() !== 0) return 'only root acts as another user';
  for (let folder = packagePath(); folder !== '/'; folder = join(folder, '..')) {
    if (!isOpen(folder)) return 'other users cannot read this checkout';
  }
  return null;
};

skipWhere(obstacle(), test)(
  'Of other users, only members of the group read status, statistics, events and outcomes, and nothing more',
  async () => {
    await using opened = new Resources();
    const { path, team, env, sandbox } = await withReaders(opened);
    const folder = join(path, '..');
    chownSync(folder, 0, GROUP);
    chmodSync(folder, 0o750);
    chownSync(path, 0, GROUP);
    await team.addDevice(sandbox, { platform: 'android' });
    const { body } = await team.post({ title: 'Disk full' });
    const reader = new CliOf({ ...env, PUSHCTL_READ_SOCKET: path }, READER, GROUP);
    const tail = reader.start(opened, ['tail', '--json'], { PUSHCTL_READ_SOCKET: path });
    await until('an outcome is seen', async () => {
      await team.post({ title: 'Disk full' });
      return tail.output.includes('"outcome":"accepted"');
    });
    await tail.stop();

    const status = await reader.run(['status', '--json']);
    assert.match(
      status.stderr,
      /^pushctl: .* sees what .*Only root sees its files and the service itself: sudo pushctl status/,
    );
    assert.match(
      (await reader.run(['status'])).stdout,
      /Nothing to warn of in the running server\. Its configuration file was not checked/,
    );
    const { server, routes } = JSON.parse(status.stdout) as Status;
    assert.is(server?.version, packageVersion());
    assert.ok(routes.some(({ route }) => route === 'fcm'));
    assert.match((await reader.run(['event', 'list', 'acme'])).stdout, 'Disk full');
    assert.ok((await reader.json<{ events: number }>(['stats'])).events > 0);
    for (const args of [
      ['workspace', 'list'],
      ['event', 'show', body.event.public_id],
      ['key', 'list'],
    ]) {
      assert.is((await reader.run(args)).exitCode, 1, args.join(' '));
    }
    const stranger = new CliOf({ ...env, PUSHCTL_READ_SOCKET: path }, STRANGER, STRANGER);
    for (const args of [['status'], ['event', 'list', 'acme'], ['stats'], ['tail']]) {
      const { exitCode, stdout } = await stranger.run(args);
      assert.is(exitCode, 1, args.join(' '));
      assert.not.match(stdout, /Disk full|runs since/);
    }
  },
);

test.run();
