import { Box } from 'ink';
import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EMPTY_STATE, withItems } from '../../../src/cli/tail/state.ts';
import { TailView, type TailViewProps } from '../../../src/cli/tail/view.tsx';
import { aPulse, aRoutePulse, aSent } from '../../support/feed.ts';

function draw(props: Partial<TailViewProps> = {}): string {
  const { columns = 100, rows = 20 } = props;
  const state = { isUp: true, isPaused: false, filter: '', isTyping: false, watched: {} };
  const node = createElement(TailView, { tail: EMPTY_STATE, ...state, ...props, columns, rows });
  // The library's terminal is 100 columns wide; what is wider is drawn in a box of its own.
  const { lastFrame, unmount } = render(createElement(Box, { width: columns }, node));
  const screen = lastFrame() ?? '';
  unmount();
  return screen;
}

const BUSY = withItems(EMPTY_STATE, [
  aPulse({
    events: 12,
    latency: { p50_ms: 45, p95_ms: 1_200, p99_ms: 90_000 },
    routes: [
      aRoutePulse({ connections: 12, accepted: 1_234, waiting: 56, deferred: 7, errors: 3, oldest_ms: 90_000 }),
      aRoutePulse({
        route: 'apns_production',
        pause: { kind: 'unauthorized', reason: 'InvalidProviderToken', for_ms: 61_000 },
      }),
    ],
  }),
  aSent({ outcomes: [{ outcome: 'deferred', reason: 'QUOTA_EXCEEDED', count: 40 }] }),
  aSent(),
]);

test('One screen shows rates, latency, routes, why one is paused, and the latest outcomes', () => {
  const screen = draw({ tail: BUSY });
  for (const part of [
    /events +12 a second █/,
    /pushes +1,234 a second █/,
    /latency p50 45ms p95 1.2s p99 90s/,
    /route +state +connections +waiting +oldest +retries +errors.min/,
    /fcm +open +12 +56 +90s +7 +3\n/,
    /apns_production +paused +0 +0 +- +0 +0\n +for 61s: InvalidProviderToken/,
    /↻ acme\/alerts fcm +×40 QUOTA_EXCEEDED evt_\w+/,
    /✓ acme\/alerts fcm +45ms evt_\w+/,
    /p pauses · f filters · q quits/,
  ]) {
    assert.match(screen, part);
  }
});

test('A filter shows only the lines that fit it, and the typed text', () => {
  const screen = draw({ tail: BUSY, filter: 'quota', isTyping: true });
  assert.match(screen, 'Latest outcomes with "quota"');
  assert.match(screen, /filter: quota/);
  assert.not.match(screen, /✓/);
});

test('A pause, and a server that has ended, are shown', () => {
  assert.match(draw({ isPaused: true }), 'paused');
  assert.match(draw({ isUp: false }), 'the server has stopped; waiting for it');
  assert.match(draw(), 'nothing accepted in the last minute');
});

test('It fits any window: no line is broken, none is beyond its height', () => {
  const many = withItems(
    BUSY,
    Array.from({ length: 200 }, () => aSent({ channel: 'a-channel-with-a-rather-long-name-that-goes-on-and-on' })),
  );
  for (const [columns, rows] of [
    [140, 50],
    [100, 40],
    [80, 24],
    [80, 12],
    [60, 15],
    [20, 8],
    [5, 3],
  ] as const) {
    const lines = draw({ tail: many, columns, rows }).split('\n');
    assert.ok(lines.length < rows, `${lines.length} lines in ${rows} rows`);
    const broken = lines.filter((line) => [...line].length > columns);
    assert.equal(broken, [], `${columns} columns`);
  }
});

test('80 columns have room for all that is shown of a route, and for why it is paused', () => {
  const screen = draw({ tail: BUSY, columns: 80, rows: 24 });
  assert.match(screen, /^route .*errors.min$/m);
  assert.match(screen, /^fcm +open +12 +56 +90s +7 +3$/m);
  assert.match(screen, /^ +for 61s: InvalidProviderToken$/m);
  assert.match(screen, /QUOTA_EXCEEDED/, 'the reason is not cut, before the id of the event is');
  const iPhone = withItems(BUSY, [aSent({ workspace: 'platform', route: 'apns_production', after_ms: 123 })]);
  assert.match(draw({ tail: iPhone, columns: 80 }), /apns_production 123ms evt_[0-9a-z]{26}$/m);
});

test('If there is little height, outcomes give way first', () => {
  const screen = draw({ tail: BUSY, columns: 80, rows: 12 });
  assert.match(screen, 'for 61s: InvalidProviderToken');
  assert.match(screen, 'q quits');
  assert.not.match(screen, '✓');
});

test('The watched event, channel or workspace stands in the title', () => {
  assert.match(draw(), /^pushctl all workspaces/);
  assert.match(draw({ watched: { workspace: 'acme' } }), /^pushctl acme /);
  assert.match(draw({ watched: { workspace: 'acme', channel: 'alerts', route: 'fcm' } }), /^pushctl acme\/alerts fcm /);
  const event = 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6';
  assert.match(draw({ watched: { channel: 'alerts', event } }), new RegExp(`^pushctl all workspaces/alerts ${event} `));
});

test('Before the first pulse it is empty but for its headings and keys', () => {
  const screen = draw({ columns: 80, rows: 24 });
  assert.match(screen, /events +0 a second/);
  assert.match(screen, /Latest outcomes\n\s*\n[\s\S]*p pauses · f filters · q quits$/);
});

test('Nothing in a name can steer the terminal', () => {
  const sent = aSent({
    channel: 'a\u001b[31mlerts',
    outcomes: [{ outcome: 'rejected', reason: 'x\u001b]0;y\u0007', count: 1 }],
  });
  const screen = draw({ tail: withItems(EMPTY_STATE, [sent]) });
  assert.not.ok(screen.includes('\u001b]0') || screen.includes('a\u001b[31ml'));
});

test.run();
