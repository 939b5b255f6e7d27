import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Channel, Member, Workspace } from '../../src/store/calls.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { valuesOf } from '../support/values-of.ts';

const test = suite('cli: renaming');

test('A workspace gets another name and keeps its slug.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const { workspace } = await cli.json<{ workspace: Workspace }>(['workspace', 'rename', 'acme', 'Acme Holding']);
  assert.equal([workspace.slug, workspace.name], ['acme', 'Acme Holding']);
  assert.match((await cli.run(['workspace', 'list'])).stdout, /^acme +Acme Holding /m);
  assert.match(await cli.failure(1, ['workspace', 'rename', 'acm', 'Acme']), /"acm".*The nearest is "acme"/);
  assert.match(await cli.failure(2, ['workspace', 'rename', 'acme', ' ']), 'must not be blank');
  assert.match(await cli.failure(2, ['workspace', 'rename', 'acme']), "missing required argument 'name'");
});

test('A member gets another name, in all their workspaces.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  await cli.json(['workspace', 'create', 'beta']);
  await cli.json(['member', 'add', 'beta', ADA]);
  const renamed = await cli.json(['member', 'rename', 'Ada@Example.com', 'Ada Lovelace']);
  assert.equal(renamed, { user: { email: ADA, name: 'Ada Lovelace' } });
  for (const [workspace, role] of [
    ['acme', 'owner'],
    ['beta', 'member'],
  ]) {
    const { members } = await cli.json<{ members: Member[] }>(['member', 'list', String(workspace)]);
    assert.equal(members, [{ email: ADA, name: 'Ada Lovelace', role }]);
  }
  assert.match(
    await cli.failure(1, ['member', 'rename', 'ada@exampel.com', 'Ada']),
    /The nearest is "ada@example.com"/,
  );
  assert.match(await cli.failure(2, ['member', 'rename', ADA, 'x'.repeat(256)]), 'greater than 255 characters');
});

test('A channel gets another name, and keeps its slug unless it gets another of that, too.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const builds = ['channel', 'rename', 'acme', 'builds'];
  const { channel } = await cli.json<{ channel: Channel }>([...builds, 'Build results']);
  assert.equal(channel, {
    slug: 'builds',
    name: 'Build results',
    status: 'active',
    device_count: 0,
    insist: null,
    quiet: null,
    rings: null,
  });
  const moved = await cli.json<{ channel: Channel }>([...builds, '--slug', 'ci', '--yes']);
  assert.equal(moved.channel, { ...channel, slug: 'ci' });
  assert.equal((await cli.json<{ channels: Channel[] }>(['channel', 'list', 'acme'])).channels, [moved.channel]);
  const both = await cli.json<{ channel: Channel }>(['channel', 'rename', 'acme', 'ci', 'CI', '--slug', 'c', '--yes']);
  assert.equal(both.channel, { ...channel, slug: 'c', name: 'CI' });
});

test('A new slug of a channel needs a confirmation, and is rejected if it is invalid or taken.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  await cli.json(['channel', 'create', 'acme', 'ci']);
  const builds = ['channel', 'rename', 'acme', 'builds'];
  assert.match(await cli.failure(2, builds), 'pass a name, or --slug');
  assert.match(await cli.failure(2, [...builds, '--slug', 'other']), /posts to acme\/builds get a 404 .*--yes/);
  assert.match(await cli.failure(2, [...builds, '--slug', 'no blanks', '--yes']), 'the first a letter or digit');
  assert.match(await cli.failure(1, [...builds, '--slug', 'ci', '--yes']), 'already has a channel "ci"');
  assert.match(await cli.failure(1, ['channel', 'rename', 'acme', 'build', 'B']), 'The nearest is "builds"');
  const { channels } = await cli.json<{ channels: Channel[] }>(['channel', 'list', 'acme']);
  assert.equal(valuesOf(channels, 'slug', 'name'), ['builds builds', 'ci ci']);
});

test.run();
