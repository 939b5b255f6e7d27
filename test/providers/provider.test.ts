import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageVersion } from '../../src/process/package.ts';
import { isOfTheLine } from '../../src/providers/agent.ts';
import type { Outcome, Route } from '../../src/push.ts';
import { concurrently } from '../support/concurrently.ts';
import { withImpatientProvider, withProvider } from '../support/providers.ts';
import { aBatch, aPushEvent } from '../support/pushes.ts';
import type { BehaviourName } from '../support/sandbox/behaviours.ts';
import { untilIs } from '../support/until.ts';

const waiting = concurrently(test);

/** The contract of provider.ts, kept by every provider: one route of each. */
const ROUTES = ['apns_sandbox', 'fcm', 'webpush_google'] as const satisfies readonly Route[];
const ACCEPTED: Outcome = { kind: 'accepted' };
const nameOf = (outcome: Outcome | undefined) =>
  outcome === undefined || outcome.kind === 'accepted' ? outcome?.kind : `${outcome.kind} ${outcome.reason}`;

/** The behaviours of the sandbox's devices, and their meaning at APNs, at FCM, at Google's push service. */
const BEHAVIOURS: readonly (readonly [BehaviourName, string, string, string])[] = [
  ['accept', 'accepted', 'accepted', 'accepted'],
  ['slow', 'accepted', 'accepted', 'accepted'],
  ['unregistered', 'unregistered Unregistered', 'unregistered UNREGISTERED', 'unregistered google_410'],
  ['expired', 'unregistered ExpiredToken', 'unregistered UNREGISTERED', 'unregistered google_410'],
  ['bad_token', 'unregistered BadDeviceToken', 'unregistered INVALID_TOKEN', 'unregistered google_404'],
  [
    'foreign',
    'unregistered DeviceTokenNotForTopic',
    'unregistered SENDER_ID_MISMATCH',
    'unregistered google_key_mismatch',
  ],
  ['too_many', 'deferred TooManyRequests', 'unavailable QUOTA_EXCEEDED', 'deferred google_429'],
  ['internal_error', 'deferred InternalServerError', 'deferred INTERNAL', 'deferred http_500'],
  ['unavailable', 'deferred ServiceUnavailable', 'deferred UNAVAILABLE', 'deferred http_503'],
  ['shutdown', 'deferred Shutdown', 'deferred UNAVAILABLE', 'deferred http_503'],
  ['reset', 'deferred connection_lost', 'deferred connection_lost', 'deferred connection_lost'],
  ['hang_up', 'deferred connection_lost', 'deferred connection_lost', 'deferred connection_lost'],
  ['garbage', 'deferred unreadable_answer', 'deferred http_500', 'deferred http_500'],
  ['empty', 'deferred http_500', 'deferred http_500', 'deferred http_500'],
  ['html', 'deferred unreadable_answer', 'deferred http_502', 'deferred http_502'],
];

for (const route of ROUTES) {
  test(`${route}: a push is accepted, and its content arrives with the version of who sends it`, () =>
    withProvider(route, async ({ sandbox, send, token }) => {
      const device = token();
      assert.equal(await send([device]), [ACCEPTED]);
      const push = await sandbox.waitForPush((arrived) => arrived.token === device);
      assert.is(push.endpoint, route);
      assert.is(push.headers['user-agent'], `pushctl/${packageVersion()}`);
      assert.ok(JSON.stringify(push.payload).includes('"event_id":"evt_01m7y7qp55ea087ggd7fpjkv29"'));
    }));

  test(`${route}: each answer has its outcome, and one device's trouble is not another's`, () =>
    withProvider(route, async ({ send, token }) => {
      for (const [behaviour, ...meanings] of BEHAVIOURS) {
        const [outcome] = await send([token(behaviour)]);
        assert.is(nameOf(outcome), meanings[ROUTES.indexOf(route)], behaviour);
        assert.equal(await send([token()]), [ACCEPTED], `after ${behaviour}`);
      }
    }));

  test(`${route}: a batch of hundreds is answered one by one`, () =>
    withProvider(route, async ({ sandbox, send, token }) => {
      const tokens = Array.from({ length: 500 }, (_, i) => token(i % 100 === 7 ? 'unregistered' : 'accept'));
      const outcomes = await send(tokens);
      assert.is(outcomes.length, 500);
      const dead = outcomes.flatMap((outcome, i) => (outcome.kind === 'unregistered' ? [i] : []));
      assert.equal(dead, [7, 107, 207, 307, 407]);
      assert.is(sandbox.counts.accepted, 495);
    }));

  test(`${route}: nothing is ever sent twice by the provider itself`, () =>
    withProvider(route, async ({ sandbox, send, token }) => {
      const devices = (['unavailable', 'internal_error', 'reset', 'hang_up', 'too_many'] as const).map((behaviour) =>
        token(behaviour),
      );
      for (const device of devices) await send([device]);
      assert.equal(sandbox.refused.map((refused) => refused.token).sort(), [...devices].sort());
    }));

  test(`${route}: a push that had to be shortened says so`, () =>
    withProvider(route, async ({ provider, target, token }) => {
      const event = aPushEvent({ description: '漢'.repeat(1000), links: { url: `https://e.com/${'u'.repeat(2000)}` } });
      const sent = await provider.send(aBatch({ route, event, targets: [target(token())] }));
      assert.equal(sent, [{ index: 0, deviceId: 1, outcome: ACCEPTED, fitted: true }]);
    }));

  test(`${route}: a refused connection concerns the route, and the next send finds the provider again`, () =>
    withProvider(route, async ({ sandbox, send, token }) => {
      assert.equal(await send([token()]), [ACCEPTED]);
      await sandbox.setOutage(route, 'refused');
      await send([token()]);
      const outcomes = await send(Array.from({ length: 20 }, () => token()));
      assert.ok(outcomes.every((outcome) => nameOf(outcome) === 'unavailable connect_failed'));
      await sandbox.setOutage(route, 'none');
      assert.equal(await send([token()]), [ACCEPTED]);
    }));

  test(`${route}: it counts its open connections`, () =>
    withProvider(route, async ({ sandbox, provider, send, token }) => {
      assert.is(provider.connections(), 0);
      await send(Array.from({ length: 5 }, () => token()));
      const open = provider.connections();
      assert.ok(route === 'apns_sandbox' ? open === 1 : open >= 1 && open <= 5, String(open));
      await sandbox.setOutage(route, 'refused');
      await untilIs('the connections have ended', () => provider.connections(), 0);
    }));

  waiting(`${route}: a connection that dies silently costs one deadline, then a fresh one is used`, () =>
    withImpatientProvider(route, async ({ sandbox, send, token }) => {
      assert.equal(await send([token()]), [ACCEPTED]);
      await sandbox.setOutage(route, 'black_hole');
      const outcomes = await send(Array.from({ length: 50 }, () => token()));
      assert.ok(
        outcomes.every((outcome) => isOfTheLine(outcome)),
        JSON.stringify(outcomes[0]),
      );
      await sandbox.setOutage(route, 'none');
      assert.equal(await send([token()]), [ACCEPTED]);
    }),
  );

  waiting(`${route}: silence, and an answer that is cut or trickles, end with the deadline`, () =>
    withImpatientProvider(route, async ({ send, token }) => {
      assert.is(nameOf((await send([token('silent')]))[0]), 'deferred timeout');
      for (const device of [token('cut'), token('drip', 1000)]) {
        const [outcome] = await send([device]);
        // The status of a push service says all, and has come.
        assert.is(outcome?.kind, route === 'webpush_google' ? 'accepted' : 'deferred');
        assert.equal(await send([token()]), [ACCEPTED]);
      }
    }),
  );

  test(`${route}: a connection that the provider closes in an orderly way is replaced`, () =>
    withProvider(route, async ({ send, token }) => {
      for (const behaviour of ['goaway', 'goaway_twice'] as const) {
        // The second push may be on its way before the GOAWAY has come.
        for (const device of [token(behaviour), token()]) {
          const [outcome] = await send([device]);
          assert.ok(outcome?.kind === 'accepted' || (outcome?.kind === 'deferred' && outcome.pace === 'fault'));
        }
        assert.equal(await send([token()]), [ACCEPTED], behaviour);
      }
    }));
}

test.run();
