import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/providers/clients.ts';
import type { Outcome } from '../../../src/push.ts';
import { settingsOf, TEST_DEADLINE_MS, withImpatientProvider, withProvider } from '../../support/providers.ts';
import { scriptedService } from '../../support/push-service.ts';
import { aBatch, aPushEvent, aTarget } from '../../support/pushes.ts';
import { Resources } from '../../support/resources.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { schemaCheck } from '../../support/schemas.ts';

const ACCEPTED: Outcome = { kind: 'accepted' };
const WITH_IMAGE = aPushEvent({ links: { imageUrl: 'https://e.com/a//b/ü.png' } });

test('a message arrives as built, with its target', () =>
  withProvider('fcm', async ({ sandbox, send, token }) => {
    const device = token();
    await send([device], { event: WITH_IMAGE, ttlMs: 90_500 });
    const push = await sandbox.waitForPush((arrived) => arrived.token === device);
    const { token: target, ...message } = push.payload;
    assert.is(target, device);
    assert.is(schemaCheck('payload-fcm').check(message), null);
    assert.equal(message.android, { priority: 'high', ttl: '90s' });
  }));

test('an installation ID is addressed as one', () =>
  withProvider('fcm', async ({ sandbox, send, token }) => {
    const device = token('accept', 0, 'installation_id');
    assert.equal(await send([device]), [ACCEPTED]);
    assert.is((await sandbox.waitForPush((push) => push.token === device)).payload.fid, device);
  }));

test('in style notification the image is passed on even if the SDK rejects its address', () =>
  withProvider(
    'fcm',
    async ({ sandbox, send, token }) => {
      const device = token();
      assert.equal(await send([device], { event: WITH_IMAGE }), [ACCEPTED]);
      const { token: _, ...message } = (await sandbox.waitForPush((push) => push.token === device)).payload;
      assert.is(schemaCheck('payload-fcm').check(message), null);
      assert.is((message.notification as Record<string, unknown>).image, 'https://e.com/a//b/ü.png');
    },
    { settings: ({ apns, fcm }) => ({ apns, fcm: { ...fcm, style: 'notification' } }) },
  ));

test('a push whose access token is refused is sent again at once with a new one, and once', () =>
  withProvider('fcm', async ({ sandbox, send, token }) => {
    assert.equal(await send([token()]), [ACCEPTED]);
    sandbox.revokeAccessTokens();
    assert.equal(await send([token()]), [ACCEPTED]);
    sandbox.behave({ match: { endpoint: 'fcm' }, answer: { kind: 'refuse', reason: 'UNAUTHENTICATED' }, times: 2 });
    assert.equal(await send([token()]), [{ kind: 'unauthorized', reason: 'UNAUTHENTICATED' }]);
    assert.equal(await send([token()]), [ACCEPTED]);
  }));

test('a failing token endpoint is asked once for a whole batch', () =>
  withProvider('fcm', async ({ sandbox, send, token }) => {
    sandbox.behave({ match: { endpoint: 'oauth' }, answer: { kind: 'html' }, times: 1 });
    const outcomes = await send(Array.from({ length: 200 }, () => token()));
    // A second question would have been answered well.
    assert.ok(outcomes.every(({ kind }) => kind === 'unavailable'));
  }));

test('a page in place of Google’s answer says nothing about the account, an error of its own does', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const service = await scriptedService(opened, 'webpush_google');
  const [tokenEndpoint = ''] = Object.values(service.settings.endpoints);
  const outcomeAfter = async (status: number, body: string) => {
    service.answer((response) => void response.writeHead(status).end(body));
    const fcm = { ...settingsOf(sandbox).fcm, tokenEndpoint, ca: service.settings.ca ?? '' };
    const client = await createClient('fcm', { fcm });
    assert.ok(client);
    opened.add(client);
    const targets = [aTarget({ token: sandbox.token({ platform: 'android' }) })];
    return (await client.send(aBatch({ route: 'fcm', targets })))[0]?.outcome;
  };
  const unavailable = { kind: 'unavailable', reason: 'access_token_unavailable' };
  for (const status of [200, 403, 407]) assert.equal(await outcomeAfter(status, '<html>Proxy</html>'), unavailable);
  const refused = { kind: 'unauthorized', reason: 'access_token_refused' };
  assert.equal(await outcomeAfter(400, '{"error":"invalid_grant"}'), refused);
});

test('a token endpoint that is silent ends with the deadline', () =>
  withImpatientProvider('fcm', async ({ sandbox, send, token }) => {
    sandbox.behave({ match: { endpoint: 'oauth' }, answer: { kind: 'silent' } });
    const [outcome] = await send([token()]);
    assert.equal(outcome, { kind: 'deferred', pace: 'fault', reason: 'timeout' });
  }));

test("a service account that Google does not know is an operator's matter", () =>
  withProvider(
    'fcm',
    async ({ send, token }) => {
      assert.equal(await send([token()]), [{ kind: 'unauthorized', reason: 'access_token_refused' }]);
    },
    {
      settings: ({ apns, fcm }) => ({
        apns,
        fcm: { ...fcm, serviceAccount: { ...fcm.serviceAccount, client_email: 'nobody@example.com' } },
      }),
    },
  ));

test("a wrong project is an operator's matter and kills no token", () =>
  withProvider(
    'fcm',
    async ({ send, token }) => {
      const [outcome] = await send([token()]);
      assert.is(outcome?.kind, 'unauthorized');
    },
    {
      settings: ({ apns, fcm }) => ({
        apns,
        fcm: { ...fcm, serviceAccount: { ...fcm.serviceAccount, project_id: 'another-project' } },
      }),
    },
  ));

test('trickling answers do not use up the connections', () =>
  withImpatientProvider(
    'fcm',
    async ({ send, token }) => {
      const outcomes = await send([token('drip', TEST_DEADLINE_MS / 4), token('drip', TEST_DEADLINE_MS / 4)]);
      assert.ok(outcomes.every(({ kind }) => kind === 'deferred'));
      assert.equal(await send([token(), token(), token()]), [ACCEPTED, ACCEPTED, ACCEPTED]);
    },
    { inFlight: 2 },
  ));

test('the SDK whose retries are switched off is pinned', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
  assert.match(dependencies['firebase-admin'], /^\d+\.\d+\.\d+$/);
});

test.run();
