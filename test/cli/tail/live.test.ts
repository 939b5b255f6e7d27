import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { INITIAL_CONTROLS, type ItemSource, type KeyPress, Live, press } from '../../../src/cli/tail/live.tsx';
import type { FeedItem } from '../../../src/server/feed/items.ts';
import { aPulse, aRoutePulse, aSent } from '../../support/feed.ts';
import { until } from '../../support/until.ts';

interface Watching {
  emit(...items: readonly FeedItem[]): void;
  link(isUp: boolean): void;
  /** Types, once the keys are listened to. */
  type(text: string): void;
  /** The screen once the pattern is on it. */
  shows(pattern: RegExp): Promise<string>;
  readonly screen: () => string;
  readonly isOver: () => boolean;
}

const ACCEPTED = aSent({ channel: 'alerts' });
const FAILED = aSent({ channel: 'billing', outcomes: [{ outcome: 'rejected', reason: 'BadTopic', count: 1 }] });

/** The live view over a feed that the test emits. */
async function watching(test: (watching: Watching) => Promise<void>): Promise<void> {
  const { promise: started, resolve: start } = Promise.withResolvers<Parameters<ItemSource['follow']>[0]>();
  const follow: ItemSource['follow'] = async (heard) => {
    start(heard);
    await new Promise((resolve) => heard.signal.addEventListener('abort', resolve, { once: true }));
  };
  const { lastFrame, stdin, unmount } = render(createElement(Live, { source: { watched: {}, follow } }));
  const screen = () => lastFrame() ?? '';
  const heard = await started;
  try {
    await test({
      emit: (...items) => items.forEach((item) => void heard.onItem(item)),
      link: heard.onLink,
      type: (text) => stdin.write(text),
      async shows(pattern) {
        await until(`${pattern} on the screen`, () => pattern.test(screen()));
        return screen();
      },
      screen,
      isOver: () => heard.signal.aborted,
    });
  } finally {
    unmount();
  }
}

test('Items of the feed are on the screen a moment later', () =>
  watching(async ({ emit, shows }) => {
    await shows(/all workspaces[\s\S]*q quits/);
    emit(aPulse({ events: 7, routes: [aRoutePulse({ connections: 3 })] }), ACCEPTED, FAILED);
    const screen = await shows(/✓ acme\/alerts[\s\S]*✗ acme\/billing .*BadTopic/);
    assert.match(screen, /events +7\.0 a second/);
    assert.match(screen, /fcm +open +3 +0 +- +0 +0/);
  }));

test('f and a text leave the lines that have it, Escape brings the others back', () =>
  watching(async ({ emit, type, shows }) => {
    emit(ACCEPTED, FAILED);
    await shows(/alerts[\s\S]*billing/);
    type('f');
    await shows(/filter:/);
    type('billing');
    assert.not.match(await shows(/filter: billing/), 'acme/alerts');
    type('\r');
    await shows(/outcomes with "billing"[\s\S]*Esc clears/);
    type('\u001b');
    await shows(/Latest outcomes\n[\s\S]*acme\/alerts/);
  }));

test('p holds the screen still, and later items are shown when it goes on', () =>
  watching(async ({ emit, type, shows }) => {
    emit(ACCEPTED);
    await shows(/acme\/alerts/);
    type('p');
    await shows(/ paused[\s\S]*p goes on/);
    emit(FAILED);
    type('p');
    const screen = await shows(/acme\/billing/);
    assert.match(screen, 'p pauses');
  }));

test('q ends it, and nothing is followed any more', () =>
  watching(async ({ type, shows, isOver }) => {
    await shows(/q quits/);
    type('q');
    await until('the feed is no longer followed', isOver);
  }));

test('A server that ends is reported, and so is its return', () =>
  watching(async ({ link, shows, screen }) => {
    link(false);
    await shows(/the server has stopped; waiting for it/);
    link(true);
    await until('the notice is gone', () => !screen().includes('has ended'));
  }));

function after(...keys: readonly KeyPress[]) {
  return keys.reduce(press, INITIAL_CONTROLS);
}

test('q ends it, p and the space bar pause and go on', () => {
  assert.is(after({ text: 'q' }).isOver, true);
  assert.is(after({ text: 'p' }).isPaused, true);
  assert.is(after({ text: 'p' }, { text: ' ' }).isPaused, false);
  assert.equal(after({ text: 'x' }), INITIAL_CONTROLS);
});

test('Behind f every key is text, until Enter keeps or Escape clears the filter', () => {
  assert.equal(after({ text: 'f' }, { text: 'q' }, { text: 'p' }), {
    ...INITIAL_CONTROLS,
    isTyping: true,
    filter: 'qp',
  });
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'return' }), { ...INITIAL_CONTROLS, filter: 'q' });
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'escape' }), INITIAL_CONTROLS);
  assert.is(after({ text: '/' }, { text: 'ab' }, { key: 'backspace' }).filter, 'a');
  assert.equal(after({ text: 'f' }, { text: 'q' }, { key: 'return' }, { key: 'escape' }), INITIAL_CONTROLS);
});

test('Keys that come in one piece count one by one', () => {
  assert.equal(after({ text: 'fbad\rp' }), { ...INITIAL_CONTROLS, filter: 'bad', isPaused: true });
});

test.run();
