import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAULTY_ENDPOINTS, withServer } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { settled } from '../support/server.ts';

const threads = suite('faults of delivery threads');
const MORTAL = new URL('../support/mortal-worker.js', import.meta.url);

for (const [title, what] of [
  ['die', 'dies with pushes on their way'],
  ['hang', 'never answers'],
  ['wedge', 'stands still'],
] as const) {
  threads(`a thread that ${what} costs no push, and no other route its own`, () => {
    process.env.PUSHCTL_TEST_FATE = join(temporaryFolder(), 'struck');
    return withServer(
      async (server) => {
        const tokens: string[] = [];
        for (const endpoint of FAULTY_ENDPOINTS) tokens.push(...(await server.addDevices(endpoint, 3)));
        const { body } = await server.team.post({ title });
        const { deliveries } = await settled(server.team, body.event.public_id);
        assert.is(deliveries.accepted, tokens.length, JSON.stringify(deliveries));
        for (const token of tokens) assert.ok(server.copies(body.event.public_id, token).length > 0);
      },
      { pool: { worker: MORTAL, deadlineMs: 2_000 } },
    );
  });
}

threads.run();
