import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repeats } from '../../../src/web/inbox/listed-events.ts';

const NOON_MS = Date.UTC(2026, 10, 24, 12);

/** At so many minutes before noon. */
function event(
  title: string,
  before: number,
  differs: { channel?: string; level?: string; collapse_key?: string } = {},
) {
  const received_at = new Date(NOON_MS - before * 60_000).toISOString();
  return { workspace: 'acme', channel: 'ops', level: 'error', title, collapse_key: null, received_at, ...differs };
}

const shown = (...events: readonly ReturnType<typeof event>[]) =>
  repeats(events).map((group) => `${group[0]?.title} × ${group.length}`);

test('Events of the same title are together while no more than ten minutes lie between two of them', () => {
  const disk = [0, 9, 18, 29].map((before) => event('Disk full', before));
  assert.equal(shown(...disk), ['Disk full × 3', 'Disk full × 1']);
});

test('Events of a collapse key are together with any text and any events between them', () => {
  const [first, second] = [0, 300].map((before) => event(`Disk ${before}`, before, { collapse_key: 'disk' }));
  assert.ok(first && second);
  assert.equal(shown(first, event('Other', 1), second), ['Disk 0 × 2', 'Other × 1']);
});

test('Another channel, another level and another workspace are rows of their own', () => {
  const same = { collapse_key: 'disk' };
  const rows = [
    event('Disk', 0, same),
    event('Disk', 0, { ...same, level: 'success' }),
    event('Disk', 0, { ...same, channel: 'web' }),
    { ...event('Disk', 0, same), workspace: 'other' },
  ];
  assert.equal(repeats(rows).length, 4);
});

test.run();
