import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../src/process/package.ts';
import { apnsPayload } from '../../../src/providers/apns/payload.ts';
import { fcmMessage } from '../../../src/providers/fcm/payload.ts';
import { aPushEvent } from '../../support/pushes.ts';

const ALERT = 'evt_01m7y7qp55ea087ggd7fpjkv29';
const RECEIVED_AT_MS = Date.parse('2026-11-21T05:02:17.253Z');

/** The second reminder of the alert that docs/alerts.md speaks of. */
const REMINDER = aPushEvent({
  title: 'Disk full',
  description: 'db-1 has 2 GB left',
  level: 'error',
  urgency: 'time_sensitive',
  eventType: null,
  collapseKey: 'disk/db-1',
  receivedAtMs: RECEIVED_AT_MS + 240_000,
  alert: {
    id: ALERT,
    state: 'open',
    reminder: 2,
    channel: 'alerts',
    shows: { publicId: ALERT, receivedAtMs: RECEIVED_AT_MS },
  },
});

test('the payloads in docs/alerts.md are those that apps get', () => {
  const text = readFileSync(packagePath('docs', 'alerts.md'), 'utf8');
  const [ios, android] = [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => JSON.parse(block));
  assert.equal(ios, apnsPayload(REMINDER).payload);
  // Google's library keeps this key to itself.
  const { collapse_key, ...received } = fcmMessage(REMINDER, 'data', 120_000).payload.data;
  assert.equal([android, collapse_key], [received, 'disk/db-1']);
});

test.run();
