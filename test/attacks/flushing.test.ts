import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../src/http/errors.ts';
import { RollingWindows } from '../../src/http/limits/rolling-windows.ts';
import { NetworkTurns, SignInLimits } from '../../src/http/limits/sign-in-limits.ts';
import { ALONE } from '../support/counting.ts';

const wrong = () => Promise.resolve(null);
const right = () => Promise.resolve('in');

async function codeOf(attempt: Promise<unknown>): Promise<string | null> {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof ApiError ? error.code : null;
}

test('a flood of other sign-ins does not free an email that has reached its limit', async () => {
  const limits = new SignInLimits(ALONE);
  for (let at = 0; at < 50; at += 1) await limits.password({ networks: [`203.0.113.${at}`], email: 'ada' }, at, wrong);
  for (let at = 0; at < 20_200; at += 1) {
    await limits.password({ networks: [`network ${at}`], email: `other ${at}` }, 100, at % 2 === 0 ? wrong : right);
  }
  const guess = limits.password({ networks: ['198.51.100.1'], email: 'ada' }, 200, right);
  assert.is(await codeOf(guess), 'sign_in_throttled');
});

test('to evict a full window, all windows have to be filled as far', () => {
  const windows = new RollingWindows(1_000);
  const fill = (name: string) => {
    for (let count = 0; count < 11; count += 1) windows.admit(name, 10, 0);
  };
  fill('ada');
  for (let at = 0; at < 100; at += 1) fill(`full ${at}`);
  for (let at = 0; at < 10_000; at += 1) windows.admit(`new ${at}`, 10, 0);
  assert.not(windows.admit('ada', 10, 0).admitted);
  assert.ok(windows.size <= 1_000);
});

test('a right guess leaves no name behind', () => {
  const windows = new RollingWindows(1_000);
  windows.admit('ada', 10, 0);
  windows.takeBack('ada', 0);
  assert.is(windows.size, 0);
});

test('while too many passwords are being checked, a further one is refused before anything is counted', async () => {
  const turns = new NetworkTurns(1, { steadyMs: () => 0 });
  const limits = new SignInLimits(ALONE);
  const gate = Promise.withResolvers<null>();
  const others = Array.from({ length: 31 }, (_, n) => turns.admit({ networks: [`net${n}`] }, () => gate.promise));
  let counted = 0;
  const attempt = turns.admit({ networks: ['192.0.2.1'] }, async () => {
    counted += 1;
    return limits.password({ networks: ['192.0.2.1'], email: 'ada' }, 0, right);
  });
  assert.is(await codeOf(attempt), 'overloaded');
  assert.is(counted, 0);
  gate.resolve(null);
  await Promise.all(others);
  assert.is(await turns.admit({ networks: ['192.0.2.1'] }, right), 'in');
});

test.run();
