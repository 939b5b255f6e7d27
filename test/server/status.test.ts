import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusReporter } from '../../src/server/status.ts';
import { SimulatedClock } from '../support/simulation.ts';

test('It shows since when it runs, why routes pause, and when a push was last accepted on each', () => {
  const clock = new SimulatedClock();
  const pause = { kind: 'off', reason: 'no key', since: '2026-11-21T09:29:00.000+00:00' };
  const status = new StatusReporter({
    clock,
    version: '1.0.0',
    linksLimitBytes: 1_000,
    nextBackupMs: () => clock.wallMs() + 60_000,
    routes: () =>
      new Map([
        ['apns_production', { pause, doubt: null }],
        ['fcm', { pause: null, doubt: null }],
      ]),
    connections: () => 2,
    batchesInFlight: () => 1,
    linksBytes: () => 10,
    refusal: () => null,
    settings: () => ({}),
  });
  status.sent('fcm', [{ index: 0, deviceId: 0, outcome: { kind: 'accepted' }, fitted: false }]);
  const failed = { kind: 'rejected', reason: 'BadTopic' } as const;
  status.sent('apns_production', [{ index: 0, deviceId: 0, outcome: failed, fitted: false }]);
  const listening = { url: 'http://127.0.0.1:8080', socket: null, redirects_from: null };
  assert.equal(status.now(listening, { findings: [], stored: null, alerts: null }), {
    version: '1.0.0',
    since: '2026-11-21T09:30:00.000+00:00',
    url: 'http://127.0.0.1:8080',
    socket: null,
    redirects_from: null,
    routes: [
      {
        route: 'apns_production',
        pause,
        connections: 2,
        last_accepted_at: null,
      },
      { route: 'fcm', pause: null, connections: 2, last_accepted_at: '2026-11-21T09:30:00.000+00:00' },
    ],
    batches_in_flight: 1,
    findings: [],
    stored: null,
    alerts: null,
    next_backup_at: '2026-11-21T09:31:00.000+00:00',
    links: { bytes: 10, limit_bytes: 1_000 },
  });
});

test.run();
