import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { aheadAfter, isAhead, learnTime, nowMs, serverNow } from '../../src/web/clock.ts';

const HOUR_MS = 3_600_000;
const SERVER_MS = Date.UTC(2026, 10, 22, 3, 5, 0);
const headers = (others: Readonly<Record<string, string>> = {}) =>
  new Headers({ Date: new Date(SERVER_MS).toUTCString(), ...others });
/** Asked half a second before the answer came, by a clock that is so much ahead. */
const ahead = (byMs: number, before = 0, with_ = headers()) =>
  aheadAfter(before, with_, SERVER_MS + byMs + 250, SERVER_MS + byMs + 750);

test('The clock of the browser may be an hour off, either way, but not by what nobody notices', () => {
  assert.is(ahead(HOUR_MS), -HOUR_MS);
  assert.is(ahead(-HOUR_MS), HOUR_MS);
  assert.equal([ahead(1_900), ahead(-1_900)], [0, 0]);
  assert.is(ahead(2_100), -2_100);
});

test('The time does not go to and fro with each answer, and a clock that is put right counts', () => {
  assert.is(ahead(HOUR_MS + 900, -HOUR_MS), -HOUR_MS);
  assert.is(ahead(HOUR_MS + 60_000, -HOUR_MS), -HOUR_MS - 60_000);
  assert.is(ahead(0, -HOUR_MS), 0);
});

test('An answer that was kept on its way, took long or has no time changes nothing', () => {
  assert.is(ahead(HOUR_MS, 7_000, headers({ Age: '12' })), 7_000);
  assert.is(ahead(HOUR_MS, 7_000, new Headers()), 7_000);
  assert.is(aheadAfter(7_000, headers(), SERVER_MS, SERVER_MS + 5_000), 7_000);
  assert.is(aheadAfter(7_000, headers(), SERVER_MS, SERVER_MS - 100), 7_000, 'the clock was set meanwhile');
});

test('Shown times go by the server, from its first answer on', () => {
  const now = Date.now();
  learnTime(new Headers({ Date: new Date(now + HOUR_MS).toUTCString() }), now - 10, now);
  for (const shown of [serverNow(), nowMs.value]) assert.ok(Math.abs(shown - now - HOUR_MS) < 2_000);
  assert.equal([isAhead(now + 1_500, now), isAhead(now + 2_500, now)], [false, true]);
});

test('Nothing else in the app asks the browser for the time', () => {
  const root = packagePath('src', 'web');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  assert.ok(files.length > 100);
  const asking = files.filter((file) =>
    /Date\.now\(|new Date\(\)/.test(readFileSync(packagePath('src', 'web', file), 'utf8')),
  );
  // Links, taps and reports age by the clock that dated them. The worker asks the server about late pushes.
  const workers = ['notification', 'receipts', 'taps'].map((name) => `worker/${name}.ts`);
  assert.equal(asking.sort(), ['clock.ts', ...workers]);
});

test.run();
