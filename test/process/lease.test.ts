import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lease, thisInstant } from '../../src/process/clock.ts';

const HOUR_MS = 3_600_000;

test('A lease counts from the moment at which it was asked for, and before that there is none', () => {
  const lease = new Lease();
  assert.ok(lease.isOver);
  lease.renew(thisInstant(), HOUR_MS);
  assert.not(lease.isOver);
  const { steadyNs, wallMs } = thisInstant();
  lease.renew({ steadyNs: steadyNs - BigInt(HOUR_MS) * 1_000_000n, wallMs: wallMs - HOUR_MS }, HOUR_MS);
  assert.ok(lease.isOver);
});

test('A lease is over by whichever clock says so: one stands still while the machine sleeps, the other may be set', () => {
  const now = thisInstant();
  const before = { steadyNs: now.steadyNs - BigInt(HOUR_MS) * 1_000_000n, wallMs: now.wallMs - HOUR_MS };
  const lease = new Lease();
  lease.renew({ ...now, wallMs: before.wallMs }, HOUR_MS);
  assert.ok(lease.isOver);
  lease.renew({ ...now, steadyNs: before.steadyNs }, HOUR_MS);
  assert.ok(lease.isOver);
  lease.renew(now, HOUR_MS);
  lease.giveUp();
  assert.ok(lease.isOver);
});

test.run();
