import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { aSenderBody, withSender } from '../../support/senders.ts';

/** 403 where a message names no channel, or 404 where there is none of that name: only ntfy's JSON says itself. */
const TAKEN: readonly (readonly [string, readonly number[]])[] = [
  ['/senders/ntfy', [200, 404]],
  ['/senders/ntfy/alerts', [200]],
  ['/senders/gotify/message', [200, 400]],
  ['/senders/alertmanager/alerts', [200, 400]],
  ['/senders/grafana/alerts', [200, 400]],
  ['/senders/slack/{key}', [200, 400]],
  ['/senders/pagerduty/v2/enqueue', [202, 400]],
  ['/senders/json/alerts?title={title}: {text}&url=/url&level={status}', [200, 400]],
];

const TYPES = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
];

test('no body of any format is answered 5xx, and 400 only if there is no text in it', () =>
  withSender({ limits: { burstPerMinute: 1_000_000 } }, async ({ api, key }) => {
    const bodies = fc.sample(fc.tuple(aSenderBody(), fc.constantFrom(...TYPES)), { seed: 20261121, numRuns: 40 });
    for (const [body, type] of bodies) {
      for (const [path, expected] of TAKEN) {
        const options = { method: 'POST', key: key(), headers: { 'Content-Type': type }, body };
        const { status, text } = await api.request(path.replace('{key}', key()), options);
        assert.ok(expected.includes(status), `${path} ${status} ${text}: ${type} ${body}`);
        if (status === 400)
          assert.match(text, /The request has no text|Event object is invalid|^invalid_payload$|^no_text$/);
      }
    }
  }));

test.run();
