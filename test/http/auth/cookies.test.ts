import type { IncomingMessage } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RoundTripCookie } from '../../../src/http/auth/cookies.ts';
import { OwnSeal } from '../../../src/http/auth/own-seal.ts';
import type { RequestState } from '../../../src/http/request-state.ts';
import { SimulatedClock } from '../../support/simulation.ts';

const KEYS = { publicKey: '', privateKey: 'secret' };
const LIFE_MS = 10 * 60_000;

test('a round trip ends after ten minutes even if the browser keeps it, and so does a trip from the future', async () => {
  const clock = new SimulatedClock();
  const beganAtMs = clock.wallMs();
  const cookies = new RoundTripCookie(
    new OwnSeal({ findVapidKeys: async () => KEYS, vapidKeys: async () => KEYS }),
    clock,
  );
  const trip = { state: 'a', nonce: 'b', verifier: 'c', beganAtMs, confirms: false };
  const state = { headers: [] as string[] } as unknown as RequestState;
  await cookies.give(state, trip);
  const [, given = ''] = state.headers;
  const request = { headers: { cookie: given.replace(/;.*/, '') } } as IncomingMessage;
  assert.match(given, `Max-Age=${LIFE_MS / 1_000}`);
  await clock.run(LIFE_MS - 1);
  assert.equal(await cookies.read(request), trip);
  await clock.run(1);
  assert.is(await cookies.read(request), null);
  const earlier = new RoundTripCookie(
    new OwnSeal({ findVapidKeys: async () => KEYS, vapidKeys: async () => KEYS }),
    new SimulatedClock(beganAtMs - 1),
  );
  assert.is(await earlier.read(request), null);
});

test.run();
