import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { uuidOf } from '../../../src/contract/public-id.ts';
import { type Clock, systemClock } from '../../../src/process/clock.ts';
import { createApnsClient } from '../../../src/providers/apns/client.ts';
import { ApnsSession } from '../../../src/providers/apns/session.ts';
import { createClient } from '../../../src/providers/clients.ts';
import { collapseIdOf } from '../../../src/providers/payload.ts';
import { TokenKeeper } from '../../../src/providers/signing/tokens.ts';
import { settingsOf, withImpatientProvider, withProvider } from '../../support/providers.ts';
import { aBatch, aPushEvent, aTarget } from '../../support/pushes.ts';
import { Resources } from '../../support/resources.ts';
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

test('a text that is not hexadecimal never gets into a path', () =>
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

test('a connection carries as many pushes at once as the relay hands out for two threads', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const provider = await createClient('apns_production', settingsOf(sandbox));
  if (provider === null) throw new Error('APNs is configured');
  opened.add(provider);
  const batchOf = (count: number) =>
    aBatch({ targets: Array.from({ length: count }, () => aTarget({ token: sandbox.token({ platform: 'ios' }) })) });
  const most = provider.send(batchOf(800));
  assert.is(provider.fill(), 1);
  const another = provider.send(batchOf(1));
  assert.ok(provider.fill() > 1);
  for (const { outcome } of [...(await most), ...(await another)]) assert.is(outcome.kind, 'accepted');
});

test('a wrong key pauses the route after one push of the batch, tried twice', () =>
  withProvider(
    'apns_production',
    async ({ sandbox, send, token }) => {
      const outcomes = await send(Array.from({ length: 50 }, () => token()));
      assert.ok(outcomes.every((outcome) => outcome.kind === 'unauthorized'));
      assert.is(sandbox.refused.length, 2, 'with another token the second time');
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
      // With another token once more.
      const times = reason === 'InvalidProviderToken' ? 2 : 1;
      sandbox.behave({ match: {}, answer: { kind: 'refuse', reason }, times });
      await send([token()]);
      return provider.connections();
    };
    for (const reason of ['InvalidProviderToken', 'Shutdown', 'IdleTimeout', 'InternalServerError']) {
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
      assert.match(
        JSON.stringify(outcome),
        /^{"kind":"unavailable","reason":"connect_failed","words":"[^"]+certificate[^"]*; it is for CN=[^"]*, issued by CN=/,
      );
    },
    { settings: ({ apns: { ca: _, ...apns }, fcm }) => ({ apns, fcm }) },
  ));

test('a host that swallows connections concerns the route after one deadline', () =>
  withImpatientProvider('apns_production', async ({ sandbox, send, token }) => {
    await sandbox.setOutage('apns_production', 'black_hole');
    const outcomes = await send(Array.from({ length: 20 }, () => token()));
    assert.ok(outcomes.every(({ kind }) => kind === 'unavailable'));
  }));

/** Clocks that a test sets: `wall` is what is added to the right time. */
function someClocks() {
  const set = { steadyMs: 0, wallOffMs: 0 };
  const clock: Clock = {
    wallMs: () => Date.now() + set.wallOffMs,
    steadyMs: () => Math.floor(performance.now()) + set.steadyMs,
  };
  return { clock, set };
}

for (const [name, offMs] of [
  ['ahead', 2 * 3_600_000],
  ['behind', -2 * 3_600_000],
] as const) {
  test(`a clock that was two hours ${name} and is set right costs no push more: it goes out with a new token`, async () => {
    await using opened = new Resources();
    const sandbox = opened.add(await aSandbox());
    const { clock, set } = someClocks();
    set.wallOffMs = offMs;
    const provider = await createClient('apns_production', settingsOf(sandbox), {}, clock);
    if (provider === null) throw new Error('APNs is configured');
    opened.add(provider);
    const push = async () => {
      const token = sandbox.token({ platform: 'ios', behaviour: 'accept', parameter: 0 });
      const [sent] = await provider.send(aBatch({ targets: [aTarget({ token })] }));
      return sent?.outcome.kind;
    };
    assert.is(await push(), 'unauthorized');
    assert.is(sandbox.refused.length, 2, 'it was signed again, once');
    assert.is(await push(), 'unauthorized');
    assert.is(sandbox.refused.length, 3, 'and not at each refusal');
    set.wallOffMs = 0;
    assert.is(await push(), 'accepted');
    assert.is(sandbox.refused.length, 3, 'nothing is sent with the old token');
  });
}

test('after a sleep of two hours the first push is refused, and sent at once with a new token on a new connection', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const { clock, set } = someClocks();
  // The token is signed two hours ago by both clocks; then the wall clock alone goes on.
  set.wallOffMs = -2 * 3_600_000;
  const tokens = new TokenKeeper(clock);
  const { apns } = settingsOf(sandbox);
  const signer = { kind: 'apns', key: apns.key, keyId: apns.keyId, teamId: apns.teamId } as const;
  const old = await tokens.current(signer);
  tokens.accepted(signer, old);
  set.wallOffMs = 0;
  const client = opened.add(createApnsClient('apns_production', apns, clock, tokens));
  const targets = Array.from({ length: 20 }, () => aTarget({ token: sandbox.token({ platform: 'ios' }) }));
  const sent = await client.send(aBatch({ targets }));
  assert.ok(sent.every(({ outcome }) => outcome.kind === 'accepted'));
  assert.equal(
    sandbox.refused.map(({ reason }) => reason),
    ['ExpiredProviderToken'],
  );
});

test('clients of one process send with one token', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const clock = systemClock();
  const tokens = new TokenKeeper(clock);
  for (const route of ['apns_production', 'apns_sandbox', 'apns_production'] as const) {
    const client = await createClient(route, settingsOf(sandbox), {}, clock, tokens);
    assert.ok(client);
    opened.add(client);
    const environment = route === 'apns_sandbox' ? 'sandbox' : 'production';
    await client.send(
      aBatch({ route, targets: [aTarget({ token: sandbox.token({ platform: 'ios', environment }) })] }),
    );
  }
  const used = sandbox.pushes.map(({ headers }) => headers.authorization);
  assert.is(used.length, 3);
  assert.is(new Set(used).size, 1);
});

test('the internals of node-apn that are used are those of the pinned version', async () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
  assert.match(dependencies['@parse/node-apn'], /^\d+\.\d+\.\d+$/);
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const { apns } = settingsOf(sandbox);
  const session = new ApnsSession(apns, apns.endpointProduction, systemClock());
  opened.onEnd(() => session.close());
  assert.is(internalsOf(session).config.production, false, "only Apple's own address is production");
  assert.is(session.current(), null);
});

interface Internals {
  readonly config: {
    readonly production: boolean;
  };
}

function internalsOf(session: ApnsSession): Internals {
  return session.internals as unknown as Internals;
}

test.run();
