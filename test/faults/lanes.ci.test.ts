import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAULTY_ENDPOINTS, withServer } from '../support/faults.ts';
import { settled } from '../support/server.ts';
import { until } from '../support/until.ts';

const lanes = suite('lanes');
/** Far longer than this test may take, so that nothing is given up in it. */
/** No answer of the silent provider is given up during the test. */
const NEVER_MS = 600_000;

for (const endpoint of FAULTY_ENDPOINTS) {
  lanes(`${endpoint}: an urgent push waits behind none of the standard ones that fill all places on their way`, () =>
    withServer(
      async (server) => {
        const { sandbox, team } = server;
        const [first] = await server.addDevices(endpoint, 1);
        await server.addDevices(endpoint, 5);
        await settled(team, (await team.post()).body.event.public_id);
        const fix = sandbox.behave({ match: { endpoint }, answer: { kind: 'silent' } });
        const standard = (await team.post()).body.event.public_id;
        await until('the provider to be silent', () => sandbox.counts.refused >= 2 || sandbox.counts.refused);
        fix();
        const urgent = (await team.post({ delivery_urgency: 'time_sensitive' })).body.event.public_id;
        await until('the urgent push', () => server.copies(urgent, String(first)).length > 0);
        assert.equal(await server.deliveries(standard), [], 'the others still wait for an answer');
        await sandbox.setOutage(endpoint, 'refused');
      },
      {
        pool: { limits: { deadlineMs: NEVER_MS, inFlight: 2 } },
        env: { PUSHCTL_DELIVERY_STOP_TIMEOUT: '0ms' },
      },
    ),
  );
}

lanes.run();
