import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SignInLimits } from '../../../src/http/limits/sign-in-limits.ts';
import { howManyTries, right, tryPassword } from '../../support/guesses.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver } from '../../support/postgres-nodes.ts';

test('ten failures are the most at all servers together, also of guesses made at the same time', async () => {
  const { servers, close } = await twoServers();
  const from = '192.0.2.1 ada';
  const guesses = Array.from({ length: 30 }, (_, at) => tryPassword(servers[at % 2] ?? servers[0], from));
  assert.is((await Promise.all(guesses)).filter((answer) => answer === 'wrong').length, 10);
  for (const server of servers) assert.is(await tryPassword(server, from, 0, right), 'sign_in_throttled');
  for (const server of servers) assert.is(await tryPassword(server, '192.0.2.1 bob', 0, right), 'right');
  await close();
});

test('neither a right guess at another server nor a refused one counts as a failure', async () => {
  const { servers, close } = await twoServers();
  const [server, other] = servers;
  for (let at = 0; at < 12; at += 1) assert.is(await tryPassword(other, '192.0.2.1 ada', 0, right), 'right');
  assert.is(await howManyTries(server, () => '192.0.2.1 ada'), 10);
  for (let at = 0; at < 60; at += 1) {
    assert.is(await tryPassword(other, '192.0.2.1 ada'), 'sign_in_throttled');
  }
  assert.is(await howManyTries(other, (at) => `203.0.113.${at} ada`), 40);
  await close();
});

test.run();

/** Returns the limits of two servers that share a store. */
async function twoServers() {
  const nodes = await nodesOver(await temporarySchema(), 2);
  const [limits, other] = nodes.map(({ calls }) => new SignInLimits(calls));
  if (limits === undefined || other === undefined) throw new Error('there are two');
  return {
    servers: [limits, other] as const,
    close: async () => void (await Promise.all(nodes.map(({ store }) => store.close()))),
  };
}
