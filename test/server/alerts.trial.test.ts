import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { concurrently } from '../support/concurrently.ts';
import { assertThreeRounds, BUSY_MS, ENGINES, REPEAT_MS, startServers } from '../support/insisting-servers.ts';
import { Resources } from '../support/resources.ts';

const test = suite('server: alerts that insist, in real time');
/** They wait for the same minutes. */
const together = concurrently(test);

for (const [engine, settings, count] of ENGINES) {
  together(`Over ${engine} all devices are reminded each minute, until one member has it`, async () => {
    await using opened = new Resources();
    const servers = await startServers(opened, await settings(), count);
    const betweenMs = await assertThreeRounds(servers, { storm: 500, next: async (dueAtMs) => dueAtMs });
    assert.ok(Math.min(...betweenMs) > REPEAT_MS - BUSY_MS, `${betweenMs}`);
  });
}

test.run();
