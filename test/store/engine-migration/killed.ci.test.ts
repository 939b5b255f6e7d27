import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databasePath } from '../../../src/store/data-folder.ts';
import { move, type Place } from '../../../src/store/engine-migration/move.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { aFilledFolder, waitingIn } from '../../support/moving.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { NOW_MS } from '../../support/store.ts';

const wallMs = NOW_MS;

test('A move that is killed leaves nothing at its target, and goes through when it is begun again.', async () => {
  const folder = await aFilledFolder();
  const waiting = waitingIn(folder);
  const url = await temporarySchema();
  await killed({ folder }, { url });
  await move({ from: { folder }, to: { url }, wallMs });
  const back = join(temporaryFolder(), 'back');
  await killed({ url }, { folder: back });
  assert.not(existsSync(databasePath(back)));
  await move({ from: { url }, to: { folder: back }, wallMs });
  assert.equal(waitingIn(back), waiting);
});

test.run();

/** Kills it amid the queue, which comes after all that it refers to. */
async function killed(from: Place, to: Place): Promise<void> {
  const program = fileURLToPath(new URL('../../support/mover.js', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify({ from, to, killedAt: 'delivery' })]);
  const [, signal] = await once(child, 'exit');
  assert.is(signal, 'SIGKILL');
}
