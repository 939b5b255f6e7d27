import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Workspace } from '../../src/store/calls.ts';
import { Cli } from '../support/cli.ts';

const test = suite('cli: renaming');

test('A workspace gets another name and keeps its slug.', async () => {
  const cli = await aTeam();
  const { workspace } = await cli.json<{ workspace: Workspace }>(['workspace', 'rename', 'acme', 'Acme Holding']);
  assert.equal([workspace.slug, workspace.name], ['acme', 'Acme Holding']);
  assert.match((await cli.run(['workspace', 'list'])).stdout, /^acme +Acme Holding /m);
  assert.match(await cli.failure(1, ['workspace', 'rename', 'acm', 'Acme']), /"acm".*The nearest is "acme"/);
  assert.match(await cli.failure(2, ['workspace', 'rename', 'acme', ' ']), 'must not be blank');
  assert.match(await cli.failure(2, ['workspace', 'rename', 'acme']), "missing required argument 'name'");
});

test.run();

async function aTeam(): Promise<Cli> {
  const cli = new Cli();
  await cli.json(['workspace', 'create', 'acme', '--name', 'Acme']);
  await cli.json(['channel', 'create', 'acme', 'builds']);
  await cli.json(['member', 'add', 'acme', 'ada@example.com', '--name', 'Ada']);
  return cli;
}
