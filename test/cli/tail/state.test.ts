import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonLines, plainLines } from '../../../src/cli/tail/follow.ts';
import { EMPTY_STATE, errorsOf, matchingLines, ratesOf, withItems } from '../../../src/cli/tail/state.ts';
import { aPulse, aRoutePulse, aSent } from '../../support/feed.ts';
import { valuesOf } from '../../support/values-of.ts';

const FAILED = { outcome: 'rejected', reason: 'BadTopic', count: 2 } as const;
const TAKEN = { outcome: 'accepted', reason: null, count: 3 } as const;

test('Rates are per second, for pulses of any length', () => {
  const slow = aPulse({ period_ms: 2_000, events: 10, routes: [aRoutePulse({ accepted: 40 })] });
  const { events, pushes } = ratesOf(withItems(EMPTY_STATE, [slow, aPulse({ events: 3 })]));
  assert.equal(
    [events, pushes],
    [
      [5, 3],
      [20, 0],
    ],
  );
});

test('Errors are those of the last minute', () => {
  const pulses = Array.from({ length: 90 }, () => aPulse({ routes: [aRoutePulse({ errors: 1 })] }));
  assert.is(errorsOf(withItems(EMPTY_STATE, pulses), 'fcm'), 60);
  assert.is(errorsOf(EMPTY_STATE, 'fcm'), 0);
});

test('The newest lines that fit the filter are shown, whichever part of them fits', () => {
  const tail = withItems(EMPTY_STATE, [
    aSent({ outcomes: [FAILED, TAKEN] }),
    aSent({ workspace: 'umbrella', outcomes: [TAKEN] }),
  ]);
  const shown = (text: string, count = 9) => matchingLines(tail, text, count).map(({ number }) => number);
  assert.equal(shown(''), [1, 2, 3]);
  assert.equal(shown('', 2), [2, 3]);
  assert.equal(shown('badtopic'), [1]);
  assert.equal(shown('umbrella/al'), [3]);
  assert.equal(shown('', 0), []);
});

test('However long it runs, the tail stays small', () => {
  const many = Array.from({ length: 1_000 }, () => [aPulse(), aSent()]).flat();
  const { pulses, lines, lastNumber } = withItems(EMPTY_STATE, many);
  assert.equal([pulses.length, lines.length, lastNumber], [300, 300, 1_000]);
});

test('In JSON every outcome is a line of its own, and nothing else is one', () => {
  const lines = jsonLines(
    aSent({
      outcomes: [
        { ...FAILED, device_ids: ['dev_a', null] },
        { ...TAKEN, device_ids: ['dev_b', 'dev_c', 'dev_d'] },
      ],
    }),
  ).map((line) => JSON.parse(line));
  assert.equal(valuesOf(lines, 'outcome'), ['rejected', 'rejected', 'accepted', 'accepted', 'accepted']);
  assert.equal(lines[0], {
    at: '2026-11-21T09:30:00.123+00:00',
    workspace: 'acme',
    channel: 'alerts',
    event: 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6',
    route: 'fcm',
    after_ms: 45,
    device_id: 'dev_a',
    outcome: 'rejected',
    reason: 'BadTopic',
  });
  assert.equal(jsonLines(aPulse()), []);
});

test('Plain lines report alike outcomes together, and the number left out', () => {
  const event = 'acme/alerts  evt_01k9z3v5m8q2w4e6r8t0y2a4c6  fcm';
  assert.equal(plainLines(aSent({ outcomes: [FAILED] })), [`09:30:00.123  ${event}  rejected (BadTopic) ×2  45ms`]);
  assert.equal(plainLines(aPulse()), []);
  assert.equal(plainLines(aPulse({ skipped: 4 })), ['(4 batches skipped: this output is read too slowly)']);
});

test.run();
