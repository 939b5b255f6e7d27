import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { temporarySchema } from '../support/postgres.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, serverEnv } from '../support/server.ts';
import { serverProcess } from './server-process.ts';

const ROUNDS = 3;

for (const [engine, settings] of [
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ PUSHCTL_STORE_URL: await temporarySchema(), PUSHCTL_DATA_DIR: temporaryFolder() })],
] as const) {
  test(`Over ${engine} one of them serves, the other ends and says why, and so do the next two after kill -9`, async () => {
    await using opened = new Resources();
    const env = await serverEnv(opened.add(await aSandbox()), await settings());
    for (let round = 1; round <= ROUNDS; round += 1) {
      const both = [serverProcess(opened, env), serverProcess(opened, env)];
      const starts = await Promise.allSettled(both.map(({ url }) => url));
      const serving = starts.findIndex(({ status }) => status === 'fulfilled');
      const [start, other] = [starts[serving], starts[1 - serving]];
      if (start?.status !== 'fulfilled' || other?.status !== 'rejected')
        throw new Error(`round ${round}: ${starts.map(({ status }) => status).join(' and ')}`);
      assert.match(other.reason.message, `ended before it listened: pushctl: ${env.PUSHCTL_DATA_DIR} is in use by `);
      // The command that makes the key goes by the socket, the post by HTTP.
      const team = opened.add(await aTeam(env, start.value));
      assert.is((await team.post()).status, 202);
      await Promise.all(both.map(({ end }) => end('SIGKILL')));
    }
  });
}

test.run();
