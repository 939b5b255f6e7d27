import { v7 as uuidv7 } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { type FaultTest, type FaultyEndpoint, withServer } from '../support/faults.ts';
import { Resources } from '../support/resources.ts';
import { aTeam, serveHere, settled, startTestServer, type Team } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';

const DEAD = 300;
const MANY = 30;
const quarantined = suite('devices whose refusal may be our fault');

const REASONS = [
  ['apns_production', 'BadDeviceToken', 'bad_token'],
  ['webpush_apple', 'VapidPkHashMismatch', 'foreign'],
] as const;

for (const [endpoint, reason, behaviour] of REASONS) {
  quarantined(
    `${reason}: ${DEAD} dead tokens pause nothing, hold up no push of a good device, and are soon inactive`,
    () =>
      withPatience(async (server) => {
        await server.addDevices(endpoint, DEAD, { behaviour });
        const dead = await post(server);
        await untilIs('all refused', async () => (await counts(server.team)).quarantined, DEAD);
        const good = await addHealthy(server, endpoint);
        const healthy = await post(server, 'healthy');
        await until('the good push', () => server.copies(healthy, good).length > 0);
        const { deliveries } = await settled(server.team, dead);
        assert.is(deliveries.unregistered, DEAD, JSON.stringify(deliveries));
        assert.equal(await counts(server.team), { active: 1, inactive: DEAD, quarantined: 0 });
        assert.is((await server.team.post()).body.event.target_device_count, 0, 'they are targeted no more');
        assert.equal(server.pauses(endpoint), []);
      }),
  );

  quarantined(`${reason}: a mistake of ours deactivates no device, is reported, and all is sent once it is fixed`, () =>
    withPatience(async (server) => {
      await server.addDevices(endpoint, MANY);
      const before = await post(server);
      assert.is((await settled(server.team, before)).deliveries.accepted, MANY);
      await server.addDevices(endpoint, MANY);
      const fix = server.sandbox.behave({ match: { endpoint }, answer: { kind: 'refuse', reason } });
      const first = await post(server);
      await untilIs('all refused', async () => (await counts(server.team)).quarantined, 2 * MANY);
      await until('the log to say so', () => server.unproven(endpoint).length > 0);
      assert.equal(server.unproven(endpoint), [reason]);
      const refused = server.sandbox.counts.refused;
      const second = await post(server);
      await until('another try', () => server.sandbox.counts.refused > refused || server.sandbox.counts.refused);
      assert.is((await counts(server.team)).active, 2 * MANY);
      fix();
      for (const publicId of [first, second]) {
        const { deliveries } = await settled(server.team, publicId);
        assert.is(deliveries.accepted, 2 * MANY, JSON.stringify(deliveries));
      }
      assert.equal(await counts(server.team), { active: 2 * MANY, inactive: 0, quarantined: 0 });
    }),
  );
}

quarantined('devices that are refused one push at a time are judged as well as those of a large batch', () =>
  withPatience(async (server) => {
    await server.addDevices('apns_production', 5, { behaviour: 'bad_token' });
    for (const [index, id] of (await devices(server.team)).map(({ id }) => id).entries()) {
      const tested = await server.team.store.testDevice({ id, uuid: uuidv7() });
      assert.ok('event' in tested);
      await untilIs('its refusal', async () => (await counts(server.team)).quarantined, index + 1);
    }
    await addHealthy(server, 'apns_production');
    await post(server, 'healthy');
    await untilIs('their end', async () => (await counts(server.team)).inactive, 5);
  }),
);

quarantined('a device that was good is not believed dead at its first refusal, though others are accepted', () =>
  withPatience(async (server) => {
    const [wavering] = await server.addDevices('fcm', 1);
    await server.addDevices('fcm', MANY);
    await settled(server.team, await post(server));
    const answer = { kind: 'refuse', reason: 'SENDER_ID_MISMATCH' } as const;
    server.sandbox.behave({ match: { token: String(wavering) }, answer, times: 1 });
    const { deliveries } = await settled(server.team, await post(server));
    assert.is(deliveries.accepted, MANY + 1);
    server.sandbox.behave({ match: { token: String(wavering) }, answer });
    const last = await post(server);
    await untilIs('its refusal', async () => (await counts(server.team)).quarantined, 1);
    await addHealthy(server, 'fcm');
    await post(server, 'healthy');
    assert.is((await settled(server.team, last)).deliveries.unregistered, 1);
    assert.equal(await counts(server.team), { active: MANY + 1, inactive: 1, quarantined: 0 });
  }),
);

quarantined('a restart keeps which devices are quarantined, and their held pushes', async () => {
  await using opened = new Resources();
  const { server: first, sandbox, env, team: before } = await startTestServer(opened);
  for (let n = 0; n < MANY; n += 1) await before.addDevice(sandbox, { platform: 'ios', behaviour: 'bad_token' });
  const dead = (await before.post()).body.event.public_id;
  await untilIs('all refused', async () => (await counts(before)).quarantined, MANY);
  await first.stop();
  const second = await serveHere(opened, env);
  const team = opened.add(await aTeam(env, second.url));
  assert.equal(await counts(team), { active: MANY, inactive: 0, quarantined: MANY });
  assert.is((await team.read(dead)).deliveries.pending, MANY);
  await team.addDevice(sandbox, { platform: 'ios' });
  const healthy = (await team.post()).body.event.public_id;
  assert.is((await settled(team, healthy)).deliveries.accepted, 1);
  assert.is((await settled(team, dead)).deliveries.unregistered, MANY);
  assert.is((await counts(team)).inactive, MANY);
});

quarantined('a quarantined device whose app registers again is quarantined no more', () =>
  withPatience(async (server) => {
    const { store } = server.team;
    const [token] = await server.addDevices('fcm', 1, { behaviour: 'foreign' });
    await post(server);
    await untilIs('the refusal', async () => (await counts(server.team)).quarantined, 1);
    await store.addDevice({ workspace: 'acme', email: ADA, platform: 'android', token: String(token) });
    assert.is((await counts(server.team)).quarantined, 0);
  }),
);

quarantined.run();

/** Held pushes are tried less often: hundreds of handshakes take their time. */
function withPatience(test: (server: FaultTest) => Promise<void>): Promise<void> {
  return withServer(test, { env: { PUSHCTL_DELIVERY_RETRY_FIRST: '500ms', PUSHCTL_DELIVERY_RETRY_MAX: '2s' } });
}

async function post({ team }: FaultTest, channel = 'alerts'): Promise<string> {
  return (await team.post({ channel })).body.event.public_id;
}

/** A good device, alone on a channel of its own. Answers its token. */
async function addHealthy({ team, addDevices }: FaultTest, endpoint: FaultyEndpoint): Promise<string> {
  await team.store.createChannel({ workspace: 'acme', slug: 'healthy' });
  const [token] = await addDevices(endpoint, 1, {}, 'healthy');
  return String(token);
}

async function counts(team: Team) {
  const all = await devices(team);
  const routes = await team.store.listRoutes({});
  return {
    active: all.filter(({ status }) => status === 'active').length,
    inactive: all.filter(({ status }) => status === 'inactive').length,
    quarantined: routes.flatMap((route) => route.quarantined).reduce((sum, group) => sum + group.devices, 0),
  };
}

async function devices({ store }: Team) {
  const page = await store.listDevices({ workspace: 'acme', limit: 1_000 });
  return 'refused' in page ? [] : page.devices;
}
