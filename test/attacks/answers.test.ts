import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withProvider } from '../support/providers.ts';

const UNREADABLE = { kind: 'deferred', pace: 'fault', reason: 'unreadable_answer' };

for (const route of ['apns_production', 'fcm'] as const) {
  test(`${route}: an answer without an end is cut, and counts as a fault`, () =>
    withProvider(route, async ({ send, token }) => {
      assert.equal(await send([token('endless')]), [UNREADABLE]);
      assert.equal(await send([token()]), [{ kind: 'accepted' }]);
    }));

  test(`${route}: a short answer that would inflate to a long one is not inflated`, () =>
    withProvider(route, async ({ send, token }) => {
      assert.equal(
        await send(Array.from({ length: 5 }, () => token('bomb'))),
        Array.from({ length: 5 }, () => UNREADABLE),
      );
      assert.equal(await send([token()]), [{ kind: 'accepted' }]);
    }));
}

test('an answer of the token endpoint that has no end, or would inflate, is cut, and the route pauses', () =>
  withProvider('fcm', async ({ sandbox, send, token }) => {
    for (const kind of ['endless', 'bomb'] as const) {
      const takeBack = sandbox.behave({ match: { endpoint: 'oauth' }, answer: { kind } });
      assert.equal(await send([token()]), [{ kind: 'unavailable', reason: 'access_token_unavailable' }]);
      takeBack();
    }
  }));

test('no answer makes the route wait for longer than an hour', () =>
  withProvider('fcm', async ({ sandbox, send, token }) => {
    for (const retryAfterS of [999_999_999, 4_000_000_000]) {
      const answer = { kind: 'refuse', reason: 'QUOTA_EXCEEDED', retryAfterS } as const;
      const takeBack = sandbox.behave({ match: { endpoint: 'fcm' }, answer });
      assert.equal(await send([token()]), [{ kind: 'unavailable', reason: 'QUOTA_EXCEEDED', retryAfterS: 3_600 }]);
      takeBack();
    }
  }));

test.run();
