import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountName } from '../../src/cli/data-folder.ts';
import { pairingCodeHash } from '../../src/contract/pairing-code.ts';
import type { AuditEntry } from '../../src/store/calls/members.ts';
import type { Session } from '../../src/store/calls/sessions.ts';
import type { Member, StoreClient } from '../../src/store/calls.ts';
import { openLocalStore } from '../../src/store/transports/socket-or-in-process.ts';
import { verifyPassword } from '../../src/values/password.ts';
import { ADA, BOB } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { someSettings } from '../support/store.ts';
import { valuesOf } from '../support/values-of.ts';

const test = suite('cli: people');

async function aMember(): Promise<Cli> {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['member', 'add', 'acme', ADA]);
  return cli;
}

async function withStore<T>({ dataDir }: Cli, use: (store: StoreClient) => Promise<T>): Promise<T> {
  const store = openLocalStore({ dataDir, settings: someSettings() });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Signs Ada in, as her phone would. */
async function signIn(cli: Cli, userAgent: string): Promise<void> {
  const { pairing_code: code } = await cli.json<{ pairing_code: string }>(['member', 'pair', ADA]);
  const tokenHash = Buffer.from(userAgent.padEnd(32)).toString('hex');
  const args = { codeHash: pairingCodeHash(code) ?? '', tokenHash, userAgent, wallMs: Date.now() };
  assert.is.not(await withStore(cli, (store) => store.redeemPairingCode(args)), null);
}

async function sessionsOf(cli: Cli): Promise<readonly Session[]> {
  return (await cli.json<{ sessions: Session[] }>(['member', 'sessions', ADA])).sessions;
}

test('A role is changed without signing anybody out, and the last owner stays.', async () => {
  const cli = await aMember();
  await signIn(cli, 'phone');
  const { member } = await cli.json<{ member: Member }>(['member', 'role', 'acme', ADA, 'owner']);
  assert.is(member.role, 'owner');
  assert.is((await sessionsOf(cli)).length, 1);
  assert.match(await cli.failure(1, ['member', 'role', 'acme', ADA, 'admin']), 'last owner');
  assert.match(await cli.failure(1, ['member', 'remove', 'acme', ADA]), 'last owner');
  assert.match(await cli.failure(2, ['member', 'role', 'acme', ADA, 'boss']), 'owner, admin, member');
  const { entries } = await cli.json<{ entries: AuditEntry[] }>(['audit']);
  assert.equal([entries[0]?.action, entries[0]?.object], ['member.role', `${ADA} as owner`]);
  assert.match(await cli.failure(1, ['member', 'add', 'acme', ADA]), /pushctl member role acme/);
});

test('A password is read from standard input, and ends all sessions.', async () => {
  const cli = await aMember();
  await signIn(cli, 'phone');
  const changed = await cli.json(['member', 'password', ADA], { input: 'correct horse\n' });
  assert.equal(changed, { email: ADA, closed: 1 });
  const found = await withStore(cli, (store) => store.findUser({ email: ADA }));
  assert.ok(await verifyPassword('correct horse', found?.password ?? ''));
  assert.equal(await sessionsOf(cli), []);
});

test('A password that is too short, or for someone who is no member, changes nothing.', async () => {
  const cli = await aMember();
  assert.match(await cli.failure(2, ['member', 'password', ADA], { input: 'short\n' }), 'at least 8 characters');
  const unknownMember = ['member', 'password', BOB];
  assert.match(await cli.failure(1, unknownMember, { input: 'correct horse\n' }), BOB);
});

test('Sessions are listed, and ended one by one or all together.', async () => {
  const cli = await aMember();
  for (const phone of ['one', 'two', 'three']) await signIn(cli, phone);
  const sessions = await sessionsOf(cli);
  assert.equal(sessions.map(({ user_agent }) => user_agent).sort(), ['one', 'three', 'two']);
  const signOut = await cli.json(['member', 'sign-out', ADA, '--session', sessions[0]?.id ?? '']);
  assert.equal(signOut, { email: ADA, closed: 1 });
  assert.equal(await cli.json(['member', 'sign-out', ADA]), { email: ADA, closed: 2 });
  assert.equal(await sessionsOf(cli), []);
  assert.match((await cli.run(['member', 'sessions', ADA])).stdout, 'pushctl member pair');
});

test('The audit log says who changed what, newest first, page by page.', async () => {
  const cli = await aMember();
  await cli.json(['channel', 'create', 'acme', 'builds']);
  const { entries } = await cli.json<{ entries: AuditEntry[] }>(['audit']);
  assert.equal(valuesOf(entries, 'action', 'workspace'), [
    'channel.create acme',
    'member.add acme',
    'workspace.create acme',
  ]);
  assert.equal(entries[0]?.actor, { kind: 'operator', name: accountName(), address: null });
  const page = await cli.json<{ entries: AuditEntry[]; next: string }>(['audit', '--limit', '1']);
  const rest = await cli.json<{ entries: AuditEntry[] }>(['audit', '--before', page.next]);
  assert.equal([...page.entries, ...rest.entries], entries);
  const filters = ['--action', 'member', '--since', '1h', '--actor', page.entries[0]?.actor.name ?? ''];
  const ofMembers = await cli.json<{ entries: AuditEntry[] }>(['audit', ...filters]);
  assert.ok(ofMembers.entries.length > 0 && ofMembers.entries.every(({ action }) => action.startsWith('member.')));
  assert.match((await cli.run(['audit', '--workspace', 'acme', '--limit', '1'])).stdout, 'There is more: --before');
});

test('If no phone could reach the server, a pairing code comes with the setting to change.', async () => {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme']);
  await cli.json(['member', 'add', 'acme', ADA]);
  const pair = (env: Readonly<Record<string, string>> = {}) => cli.run(['member', 'pair', ADA], { env });
  for (const env of [{}, { PUSHCTL_LISTEN: '[::1]:8080' }, { PUSHCTL_BASE_URL: 'https://localhost/api' }]) {
    const { exitCode, stderr } = await pair(env);
    assert.is(exitCode, 0);
    assert.match(
      stderr,
      /^pushctl: phones cannot reach that server, .*`listen` and \[tls\].*\[proxy\] trusted.*base_url/,
    );
  }
  assert.is((await pair({ PUSHCTL_BASE_URL: 'https://push.example.com/api' })).stderr, '');
});

test.run();
