import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FaultTest, survive, withServer } from '../support/faults.ts';
import { settled } from '../support/server.ts';
import { until } from '../support/until.ts';

const MANY = 30;
const refusals = suite('faults that a provider reports');

for (const [endpoint, other, reason] of [
  ['apns_production', 'fcm', 'ServiceUnavailable'],
  ['fcm', 'webpush_apple', 'UNAVAILABLE'],
  ['webpush_apple', 'apns_production', 'ServiceUnavailable'],
] as const) {
  refusals(`${endpoint}: pushes outlive a 503, with and without Retry-After, and one that comes and goes`, () =>
    withServer(async (server) => {
      const [struck, others] = [await server.addDevices(endpoint, 4), await server.addDevices(other, 1)];
      const busy = { kind: 'refuse', reason } as const;
      const flapping = { kind: 'alternate', answers: [busy, { kind: 'accept' }] } as const;
      await survive(server, endpoint, { name: '503', answer: busy }, struck, others);
      await survive(
        server,
        endpoint,
        { name: '503 for a second', answer: { ...busy, retryAfterS: 1 } },
        struck,
        others,
      );
      await survive(server, endpoint, { name: 'flapping', answer: flapping }, struck, others);
    }),
  );
}

for (const [endpoint, reason] of [
  ['apns_production', 'TooManyRequests'],
  ['fcm', 'DEVICE_QUOTA_EXCEEDED'],
  ['webpush_apple', 'TooManyRequests'],
] as const) {
  refusals(`${endpoint}: too many pushes to one device delay that device only`, () =>
    withServer(async (server) => {
      const [slow] = await server.addDevices(endpoint, 1);
      await server.addDevices(endpoint, MANY);
      server.sandbox.behave({ match: { token: String(slow) }, answer: { kind: 'refuse', reason }, times: 2 });
      const { body } = await server.team.post();
      assert.is((await settled(server.team, body.event.public_id)).deliveries.accepted, MANY + 1);
      const tries = (await server.deliveries(body.event.public_id)).map(({ attempts }) => attempts.length);
      assert.equal(
        tries.toSorted((a, b) => a - b),
        [...Array(MANY).fill(1), 3],
      );
      assert.equal(server.pauses(endpoint), []);
    }),
  );
}

refusals('a quota of the whole project pauses its route, and costs a few requests instead of one for each push', () =>
  withServer(async (server) => {
    await server.addDevices('fcm', 3 * MANY);
    const answer = { kind: 'refuse', reason: 'QUOTA_EXCEEDED', retryAfterS: 1 } as const;
    const fix = server.sandbox.behave({ match: { endpoint: 'fcm' }, answer });
    const { body } = await server.team.post();
    await until('the pause', () => server.pauses('fcm').length > 0);
    const before = server.sandbox.counts.refused;
    await until('some probes', () => server.sandbox.counts.refused >= before + 2 || server.sandbox.counts.refused);
    assert.ok(server.sandbox.counts.refused < 4 * MANY, `${server.sandbox.counts.refused} requests`);
    fix();
    assert.is((await settled(server.team, body.event.public_id)).deliveries.accepted, 3 * MANY);
  }),
);

/**
 * The provider's clock, whose times are taken as they are, beside ours. Further behind, it would refuse our signature.
 */
for (const [when, aheadMs, status] of [
  ['before', 600_000, 'inactive'],
  ['after', -50_000, 'active'],
] as const) {
  refusals(`410: a device that registered ${when} the provider's timestamp is ${status} afterwards`, () =>
    withServer(
      async (server) => {
        await server.addDevices('apns_production', 1, { behaviour: 'unregistered' });
        const { body } = await server.team.post();
        assert.is((await settled(server.team, body.event.public_id)).deliveries.unregistered, 1);
        assert.equal(await statuses(server), [status]);
      },
      { sandbox: { wallMs: () => Date.now() + aheadMs } },
    ),
  );
}

/** Faults of the configuration, that look like faults of the devices: no device is deactivated, and everything waits. */
for (const [what, endpoint, reason] of [
  ['a wrong project (404 without a detail)', 'fcm', 'NOT_FOUND'],
  ['a key that Apple does not know', 'apns_production', 'InvalidProviderToken'],
  ['a role that is missing', 'fcm', 'PERMISSION_DENIED'],
  ['a signature that Apple refuses', 'webpush_apple', 'BadJwtToken'],
] as const) {
  refusals(`${what}: the route pauses and says so, no device is deactivated, and all is sent once it is fixed`, () =>
    withServer(async (server) => {
      await delivered(server, await server.addDevices(endpoint, MANY));
      const fix = server.sandbox.behave({ match: { endpoint }, answer: { kind: 'refuse', reason } });
      const { body } = await server.team.post();
      await until('the pause', () => server.pauses(endpoint).length > 0);
      const before = server.sandbox.counts.refused;
      await until('some probes', () => server.sandbox.counts.refused >= before + 3 || server.sandbox.counts.refused);
      assert.equal(new Set(await statuses(server)), new Set(['active']));
      fix();
      const { deliveries } = await settled(server.team, body.event.public_id);
      assert.is(deliveries.accepted, MANY, JSON.stringify(deliveries));
      assert.equal(new Set(await statuses(server)), new Set(['active']));
    }),
  );
}

refusals('an access token that was revoked is replaced', () =>
  withServer(async (server) => {
    const tokens = await server.addDevices('fcm', 5);
    await delivered(server, tokens);
    server.sandbox.revokeAccessTokens();
    await delivered(server, tokens);
  }),
);

refusals('pushes wait for a token endpoint that is down', () =>
  withServer(async (server) => {
    await server.addDevices('fcm', 5);
    await server.sandbox.setOutage('oauth', 'refused');
    const { body } = await server.team.post();
    await until('the pause', () => server.pauses('fcm').length > 0);
    await server.sandbox.setOutage('oauth', 'none');
    assert.is((await settled(server.team, body.event.public_id)).deliveries.accepted, 5);
  }),
);

refusals.run();

async function delivered(server: FaultTest, tokens: readonly string[]): Promise<void> {
  const { body } = await server.team.post();
  const { deliveries } = await settled(server.team, body.event.public_id);
  assert.is(deliveries.accepted, tokens.length);
}

async function statuses({ team }: FaultTest): Promise<readonly string[]> {
  const page = await team.store.listDevices({ workspace: 'acme', limit: 100 });
  return 'refused' in page ? [] : page.devices.map(({ status }) => status);
}
