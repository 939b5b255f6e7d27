import * as assert from 'uvu/assert';
import { LANES } from '../../../src/push.ts';
import { aCluster, nodeTests } from '../../support/postgres-nodes.ts';

const test = nodeTests('claims-at-once');

test('Nodes that claim on all lanes at the same time hand out each push once', async () => {
  const { nodes, post } = await aCluster(2, { devices: { ios: 2, sandbox: 1, android: 1 } });
  const events = 60;
  const urgencies = ['standard', 'time_sensitive'] as const;
  await Promise.all(Array.from({ length: events }, (_, n) => post({ urgency: urgencies[n % 2] ?? 'standard' })));
  const seen: string[] = [];
  const workers = nodes.flatMap(({ calls }) =>
    (['apns_production', 'apns_sandbox', 'fcm'] as const).flatMap((route) =>
      LANES.map(async (lane) => {
        // Rows locked by another node are passed over, so some rounds find nothing.
        for (let round = 0; round < 200 && seen.length < events * 4; round += 1) {
          const { claims } = await calls.claimBatches({ route, lane, limit: 4, batchSize: 4 });
          for (const { targets, events: claimed } of claims)
            for (const { event, deviceId } of targets) seen.push(`${claimed[event]?.eventId} ${deviceId}`);
        }
      }),
    ),
  );
  await Promise.all(workers);
  assert.is(new Set(seen).size, seen.length, 'nothing twice');
  assert.is(seen.length, events * 4, 'and everything once');
});

test.run();
