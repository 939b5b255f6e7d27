import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readOffline } from '../../../src/store/sqlite/offline.ts';
import { aWorld, HOUR_MS, NOW_MS } from '../../support/world.ts';

const OPERATOR = { kind: 'operator', name: 'root', address: null } as const;

test('The queue by lane with its oldest event, the hour of the last acceptance, and the last backup', async () => {
  const { calls, db, addDevice, accept } = await aWorld({ routes: ['fcm'] });
  const folder = dirname(db.name);
  assert.equal((await readOffline(folder)).stored?.queue[1], {
    lane: 'standard',
    waiting: 0,
    deferred: 0,
    oldest_at: null,
  });
  await addDevice({ platform: 'android', token: 'f'.repeat(40), subscribe: ['alerts'] });
  await accept();
  const claimed = { route: 'fcm', lane: 'standard', limit: 5, batchSize: 5 } as const;
  const claimId = (await calls.claimBatches(claimed)).claims[0]?.claimId ?? '';
  const verdicts = [{ index: 0, linksLost: false, verdict: { state: 'accepted' }, fitted: false }] as const;
  await calls.settleBatch({ claimId, verdicts });
  await accept({ wallMs: NOW_MS + 1_000 });
  await calls.recordBackup({ file: '/old.db' }, OPERATOR);
  await calls.recordBackup({ file: '/new.db', wallMs: NOW_MS + HOUR_MS }, OPERATOR);

  const { stored: known } = await readOffline(folder);
  assert.ok(known);
  const oldest = { lane: 'standard', waiting: 1, deferred: 0, oldest_at: '2026-11-21T09:30:01.123+00:00' };
  assert.equal(known.queue[1], oldest);
  assert.equal(known.acceptedHours, { fcm: '2026-11-21T09:00:00.000+00:00' });
  assert.equal(known.lastBackup, { at: '2026-11-21T10:30:00.123+00:00', file: '/new.db' });
  assert.is(known.deadLetter, null);
});

test.run();
