import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { move, undoMove } from '../../../src/store/engine-migration/move.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aFilledFolder, inFolder } from '../../support/moving.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aNode } from '../../support/postgres-nodes.ts';
import { problemIn } from '../../support/problem.ts';
import { NOW_MS, someSettings } from '../../support/store.ts';
import { anEvent } from '../../support/workspace.ts';

const settings = someSettings();
const wallMs = NOW_MS;

test('A store that was moved cannot be used until that is undone, and is not moved twice.', async () => {
  const folder = await aFilledFolder();
  const url = await temporarySchema();
  await move({ from: { folder }, to: { url }, wallMs });
  const isMoved = /was moved to .*postgres at 2026-11-21T09:30/;
  assert.match((await problemIn(inFolder(folder, NOW_MS, async () => {}))).message, isMoved);
  assert.match(
    (await problemIn(move({ from: { folder }, to: { url: await temporarySchema() }, wallMs }))).message,
    isMoved,
  );
  assert.match((await undoMove({ folder }))?.place ?? '', /postgres/);
  assert.is(await undoMove({ folder }), null);
  await inFolder(folder, NOW_MS, async () => {});
  const back = join(temporaryFolder(), 'back');
  await move({ from: { url }, to: { folder: back }, wallMs });
  assert.match((await problemIn(aNode({ url }))).message, `was moved to ${back}`);
  assert.match((await problemIn(openPostgres({ url, settings }))).message, `was moved to ${back}`);
  assert.is((await undoMove({ url }))?.place, back);
  await aNode({ url }).then(({ store }) => store.close());
});

test('A process that still has a database open when that was moved changes nothing in it, and joins it no more.', async () => {
  const url = await temporarySchema();
  await move({ from: { folder: await aFilledFolder() }, to: { url }, wallMs });
  const open = await openPostgres({ url, settings });
  await move({ from: { url }, to: { folder: join(temporaryFolder(), 'back') }, wallMs });
  for (const reply of [
    await open.ask({ name: 'acceptEvent', args: anEvent(2) }),
    await open.ask({ name: 'createWorkspace', args: { slug: 'late' } }),
  ]) {
    assert.is(reply.kind, 'unavailable');
    assert.match('reason' in reply ? reply.reason : '', 'everything was moved to ');
  }
  const joined = await open.connections
    .lend(({ ask }) => ask({ text: "SELECT join_node('late', '1', 9000)", values: [] }))
    .catch((error: Error) => error.message);
  assert.match(String(joined), 'everything was moved to ');
  await open.close();
});

test.run();
