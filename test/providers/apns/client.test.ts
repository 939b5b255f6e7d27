import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { uuidOf } from '../../../src/contract/public-id.ts';
import { type Clock, systemClock } from '../../../src/process/clock.ts';
import { ApnsSession } from '../../../src/providers/apns/session.ts';
import { createClient } from '../../../src/providers/clients.ts';
import { collapseIdOf } from '../../../src/providers/payload/content.ts';
import { Opened } from '../../support/opened.ts';
import { settingsOf, withImpatientProvider, withProvider } from '../../support/providers.ts';
import { aBatch, aPushEvent, aTarget } from '../../support/pushes.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { schemaCheck } from '../../support/schemas.ts';

test('a push carries exactly the headers and the body that are documented', () =>
  withProvider('apns_production', async ({ sandbox, provider, token }) => {
    const device = token();
    const beforeS = Math.floor(Date.now() / 1000);
    const event = aPushEvent({ urgency: 'time_sensitive', links: { imageUrl: 'https://e.com/i.png' } });
    await provider.send(aBatch({ event, ttlMs: 3_600_000, targets: [aTarget({ token: device })] }));
    const { headers, payload } = await sandbox.waitForPush((push) => push.token === device);

    assert.is(headers['apns-topic'], sandbox.topic);
    assert.is(headers['apns-push-type'], 'alert');
    assert.is(headers['apns-priority'], '10');
    assert.is(headers['apns-collapse-id'], event.publicId);
    assert.is(headers['apns-id'], uuidOf(event.publicId));
    const expiresS = Number(headers['apns-expiration']);
    assert.ok(expiresS >= beforeS + 3600 && expiresS <= Date.now() / 1000 + 3600);
    assert.is(schemaCheck('payload-apns').check(payload), null);
    assert.is((payload.aps as Record<string, unknown>)['mutable-content'], 1);
  }));

test('with a collapse key the collapse id is the same for every event of that key', () =>
  withProvider('apns_production', async ({ sandbox, provider, token }) => {
    const device = token();
    const event = aPushEvent({ collapseKey: '🚀'.repeat(255) });
    await provider.send(aBatch({ event, targets: [aTarget({ token: device })] }));
    const { headers } = await sandbox.waitForPush((push) => push.token === device);
    assert.is(headers['apns-collapse-id'], collapseIdOf(event));
  }));

test('a token of the other environment is quarantined, not believed dead', () =>
  withProvider('apns_production', async ({ sandbox, send }) => {
    const [outcome] = await send([sandbox.token({ platform: 'ios', environment: 'sandbox' })]);
    assert.equal(outcome, { kind: 'unregistered', reason: 'BadDeviceToken', quarantine: true });
  }));

test('a dead token brings the time since which it is dead', () =>
  withProvider('apns_production', async ({ send, token }) => {
    const [outcome] = await send([token('unregistered')]);
    assert.type(outcome?.kind === 'unregistered' && outcome.atMs, 'number');
  }));

test('what is not hexadecimal never gets into a path', () =>
  withProvider('apns_production', async ({ sandbox, send }) => {
    const outcomes = await send(['../../evil?x=1', '', 'zz']);
    assert.ok(outcomes.every((outcome) => outcome.kind === 'rejected' && outcome.reason === 'malformed_token'));
    assert.equal(sandbox.counts, { accepted: 0, refused: 0 });
  }));

test('a server that allows few streams gets a large batch without refusing any', () =>
  withProvider(
    'apns_production',
    async ({ send, token }) => {
      const outcomes = await send(Array.from({ length: 300 }, () => token()));
      assert.ok(outcomes.every((outcome) => outcome.kind === 'accepted'));
    },
    { maxStreams: 5 },
  ));

test('a wrong key pauses the route after one push of the batch', () =>
  withProvider(
    'apns_production',
    async ({ sandbox, send, token }) => {
      const outcomes = await send(Array.from({ length: 50 }, () => token()));
      assert.ok(outcomes.every((outcome) => outcome.kind === 'unauthorized'));
      assert.is(sandbox.refused.length, 1);
    },
    { settings: ({ apns, fcm }) => ({ apns: { ...apns, keyId: 'WRONG00000' }, fcm }) },
  ));

test('a wrong topic pauses the route', () =>
  withProvider(
    'apns_production',
    async ({ send, token }) => {
      const [outcome] = await send([token()]);
      assert.is(outcome?.kind, 'unauthorized');
    },
    { settings: ({ apns, fcm }) => ({ apns: { ...apns, topic: 'com.example.other' }, fcm }) },
  ));

test('an answer that ends the use of a connection has the next push open a fresh one, any other keeps it', () =>
  withProvider('apns_production', async ({ sandbox, provider, send, token }) => {
    const connections = async (reason: string) => {
      sandbox.behave({ match: {}, answer: { kind: 'refuse', reason }, times: 1 });
      await send([token()]);
      return provider.connections();
    };
    for (const reason of ['InvalidProviderToken', 'Shutdown', 'IdleTimeout']) {
      assert.is(await connections('ServiceUnavailable'), 1, 'it is used again');
      assert.is(await connections(reason), 0, reason);
      assert.equal(await send([token()]), [{ kind: 'accepted' }], `after ${reason}`);
    }
  }));

for (const ending of [
  { kind: 'refuse', reason: 'Shutdown' },
  { kind: 'goaway', twice: true },
] as const) {
  test(`a connection that ends by ${JSON.stringify(ending)} still brings the answers to what was sent on it`, () =>
    withProvider('apns_production', async ({ sandbox, send, token }) => {
      const [slow, last] = [token(), token()];
      sandbox.behave({ match: { token: slow }, answer: { kind: 'accept', afterMs: 200 } });
      sandbox.behave({ match: { token: last }, answer: ending });
      await send([token()]);
      const [outcome] = await send([slow, last]);
      assert.equal(outcome, { kind: 'accepted' });
    }));
}

test('a certificate that is not trusted concerns the route', () =>
  withProvider(
    'apns_production',
    async ({ send, token }) => {
      const [outcome] = await send([token()]);
      assert.equal(outcome, { kind: 'unavailable', reason: 'connect_failed' });
    },
    { settings: ({ apns: { ca: _, ...apns }, fcm }) => ({ apns, fcm }) },
  ));

test('a host that swallows connections concerns the route after one deadline', () =>
  withImpatientProvider('apns_production', async ({ sandbox, send, token }) => {
    await sandbox.setOutage('apns_production', 'black_hole');
    const outcomes = await send(Array.from({ length: 20 }, () => token()));
    assert.ok(outcomes.every(({ kind }) => kind === 'unavailable'));
  }));

test('a signed token is replaced no sooner than after 20 minutes, even if Apple calls it expired', async () => {
  await using opened = new Opened();
  const sandbox = opened.add(await aSandbox());
  let nowMs = 0;
  const clock: Clock = { wallMs: () => Date.now(), steadyMs: () => nowMs };
  const { apns } = settingsOf(sandbox);
  const session = new ApnsSession(apns, apns.endpointProduction, 1000, clock);
  opened.onEnd(() => session.close());
  const { token } = internalsOf(session).config;
  const first = token.current;

  token.regenerate(token.generation);
  assert.is(token.current, first);
  nowMs = 20 * 60_000;
  token.regenerate(token.generation);
  assert.is.not(token.current, first);
  const second = token.current;
  token.regenerate(token.generation);
  assert.is(token.current, second);
});

test('a token that was signed while the clock was ahead is signed again once the clock is right, after 20 minutes', async () => {
  await using opened = new Opened();
  const sandbox = opened.add(await aSandbox());
  let nowMs = 0;
  const clock: Clock = { wallMs: () => Date.now(), steadyMs: () => nowMs };
  const settings = settingsOf(sandbox);
  const provider = await whileClockIsAhead(2 * 3_600_000, () => createClient('apns_production', settings, {}, clock));
  if (provider === null) throw new Error('APNs is configured');
  opened.add(provider);
  const push = async () => {
    const token = sandbox.token({ platform: 'ios', behaviour: 'accept', parameter: 0 });
    const [sent] = await provider.send(aBatch({ targets: [aTarget({ token })] }));
    return sent?.outcome;
  };

  const refused = { kind: 'unauthorized', reason: 'InvalidProviderToken' };
  assert.equal(await push(), refused);
  nowMs = 20 * 60_000 - 1;
  assert.equal(await push(), refused);
  nowMs += 1;
  assert.equal(await push(), { kind: 'accepted' });
});

test('the internals of node-apn that are used are those of the pinned version', async () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
  assert.match(dependencies['@parse/node-apn'], /^\d+\.\d+\.\d+$/);
  await using opened = new Opened();
  const sandbox = opened.add(await aSandbox());
  const { apns } = settingsOf(sandbox);
  const session = new ApnsSession(apns, apns.endpointProduction, 1000, systemClock());
  opened.onEnd(() => session.close());
  assert.is(internalsOf(session).config.connectionRetryLimit, 0);
  assert.is(internalsOf(session).config.production, false, "only Apple's own address is production");
  assert.is(session.current(), null);
});

/** node-apn reads no clock but the system's. */
async function whileClockIsAhead<T>(byMs: number, act: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + byMs;
  try {
    return await act();
  } finally {
    Date.now = now;
  }
}

interface Internals {
  readonly config: {
    readonly connectionRetryLimit: number;
    readonly production: boolean;
    readonly token: { current: string; generation: number; regenerate(generation: number): void };
  };
}

function internalsOf(session: ApnsSession): Internals {
  return session.internals as unknown as Internals;
}

test.run();
