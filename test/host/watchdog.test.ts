import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { feedWatchdog } from '../../src/host/systemd.ts';

test('The watchdog is fed again and again while all parts answer', async () => {
  const { fed } = await run({ isAlive: async () => true, until: ({ fed }) => fed === 3 });
  assert.is(fed, 3);
});

test('The watchdog is not fed while a part has ended, and the log says so', async () => {
  const { fed, lines } = await run({ isAlive: async () => false, until: ({ lines }) => lines.length === 3 });
  assert.is(fed, 0);
  assert.match(lines[0] ?? '', 'a part of the server has ended');
});

test('The watchdog is not fed while a part does not answer, and no more questions pile up', async () => {
  let asked = 0;
  const hang = () => {
    asked++;
    return new Promise<boolean>(() => {});
  };
  const { fed, lines } = await run({ isAlive: hang, until: ({ lines }) => lines.length === 3 });
  assert.is(fed, 0);
  assert.is(asked, 1);
  assert.match(lines[0] ?? '', 'a part of the server does not answer');
});

test('Once it has ended it says nothing of the parts that end, nor feeds any more', async () => {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: alive, resolve: answer } = Promise.withResolvers<boolean>();
  const lines: string[] = [];
  const stop = feedWatchdog({
    manager: { watchdogMs: 4, alive: () => Promise.reject(new Error('fed')) },
    isAlive: () => {
      isAsked();
      return alive;
    },
    log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
  });
  await asked;
  stop();
  lines.length = 0;
  answer(false);
  await alive;
  await setImmediate();
  assert.equal(lines, []);
});

test('Without a watchdog nothing is asked', () => {
  const manager = { watchdogMs: null, alive: async () => {} };
  const isAlive = () => Promise.reject(new Error('asked'));
  feedWatchdog({ manager, isAlive, log: pino({ level: 'silent' }) })();
});

test.run();

interface Seen {
  fed: number;
  readonly lines: string[];
}

/** Feeds a quick watchdog until the condition holds. */
async function run(options: { isAlive: () => Promise<boolean>; until: (seen: Seen) => boolean }): Promise<Seen> {
  const seen: Seen = { fed: 0, lines: [] };
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => options.until(seen) && resolve();
  const alive = async () => {
    seen.fed++;
    look();
  };
  const write = (line: string) => {
    seen.lines.push(line);
    look();
  };
  const stop = feedWatchdog({
    manager: { watchdogMs: 4, alive },
    isAlive: options.isAlive,
    log: pino({ level: 'debug' }, { write }),
  });
  await promise;
  stop();
  return seen;
}
