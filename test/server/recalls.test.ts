import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PLATFORMS, type Platform } from '../../src/push.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { aMember, type Client, register, signIn } from '../support/app-client.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { plainRequest } from '../support/plain-request.ts';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { settled, startTestServer, type TestServer } from '../support/server.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until, untilIs } from '../support/until.ts';

/** A member with a phone of each make and a browser, subscribed to `alerts`. */
interface Person {
  readonly email: string;
  readonly client: Client;
  readonly devices: readonly (Addressed & { readonly id: string })[];
}
/** The address of a device. `address`: the fields of a request that name it. */
interface Addressed {
  readonly platform: Platform;
  readonly token: string;
  readonly address: object;
}
interface Scene extends TestServer {
  readonly ada: Client;
  pushctl(...args: readonly string[]): Promise<unknown>;
  /** Posts an event whose pushes to so many people get as far as their connections. Answers its public id. */
  postHeld(people: number): Promise<string>;
  /** Lets them go on. */
  release(): void;
}

/** How a member's devices lose their right to a push, by the API and by the command line. */
const ENDS: Readonly<Record<string, (scene: Scene, person: Person) => Promise<unknown>>> = {
  unsubscribes: (_, { client, devices }) =>
    inTurn(devices, ({ id }) => client.ask('DELETE', `/devices/${id}/subscriptions/acme/alerts`)),
  returns: (_, { client, devices }) =>
    inTurn(devices, async ({ id }) => {
      await client.ask('DELETE', `/devices/${id}/subscriptions/acme/alerts`);
      await client.ask('PUT', `/devices/${id}/subscriptions/acme/alerts`);
    }),
  removes: (_, { client, devices }) => inTurn(devices, ({ id }) => client.ask('DELETE', `/devices/${id}`)),
  'gives-away': ({ ada }, { devices }) =>
    inTurn(devices, ({ platform, address }) => ada.ask('POST', '/devices', { platform, ...address })),
  'is-removed': ({ ada }, { email }) => ada.ask('DELETE', `/workspaces/acme/members/${email}`),
  'is-removed-by-pushctl': ({ pushctl }, { email }) => pushctl('member', 'remove', 'acme', email),
  'loses-a-phone-to-pushctl': ({ pushctl }, { devices }) =>
    inTurn(devices, ({ id }) => pushctl('device', 'remove', id)),
};

test('nothing that a thread holds goes to a device that has lost its right, and all others get theirs', async () => {
  await using opened = new Resources();
  const scene = await aScene(opened);
  const { sandbox, team } = scene;
  const leaving = new Map<string, Person>();
  for (const name of Object.keys(ENDS)) leaving.set(name, await aPerson(scene, name));
  const mover = await aPerson(scene, 'moves');
  const stayer = await aPerson(scene, 'stays');

  const publicId = await scene.postHeld(leaving.size + 2);
  for (const [name, person] of leaving) await ENDS[name]?.(scene, person);
  const moved: string[] = [];
  for (const { id, platform } of mover.devices) {
    const { token, address } = anAddress(sandbox, platform);
    assert.is((await mover.client.ask('PATCH', `/devices/${id}`, address)).status, 200);
    moved.push(token);
  }
  scene.release();

  const { deliveries } = await settled(team, publicId);
  const { accepted, withdrawn, failed } = deliveries;
  assert.equal({ accepted, withdrawn, failed }, { accepted: 6, withdrawn: 3 * leaving.size, failed: 0 });
  const arrived = sandbox.pushes.map(({ token }) => token).sort();
  assert.equal(arrived, [...stayer.devices.map(({ token }) => token), ...moved].sort());
  assert.is(sandbox.counts.refused, 0);
});

test('nothing that a thread holds of an event that is cancelled goes out', async () => {
  await using opened = new Resources();
  const scene = await aScene(opened);
  const { sandbox, team } = scene;
  await aPerson(scene, 'stays');
  const publicId = await scene.postHeld(1);
  await scene.pushctl('event', 'cancel', publicId);
  scene.release();
  const { deliveries } = await settled(team, publicId);
  assert.is(deliveries.withdrawn, PLATFORMS.length, JSON.stringify(deliveries));
  assert.is((await settled(team, (await team.post()).body.event.public_id)).deliveries.accepted, PLATFORMS.length);
  assert.equal(sandbox.counts, { accepted: PLATFORMS.length, refused: 0 });
});

test('pushes that a thread holds for a suspended workspace go out once the workspace is active again', async () => {
  await using opened = new Resources();
  const scene = await aScene(opened);
  const { sandbox, team } = scene;
  await aPerson(scene, 'stays');
  const publicId = await scene.postHeld(1);
  await scene.pushctl('workspace', 'suspend', 'acme');
  scene.release();
  const metrics = async () => (await plainRequest(String(scene.server.metricsUrl))).text;
  await until('all to be taken back', async () => (await metrics()).includes('\npushctl_batches_in_flight 0\n'));
  assert.is(sandbox.counts.accepted, 0);
  await scene.pushctl('workspace', 'activate', 'acme');
  assert.is((await settled(team, publicId)).deliveries.accepted, PLATFORMS.length);
  assert.equal(sandbox.counts, { accepted: PLATFORMS.length, refused: 0 });
});

test.run();

async function aScene(opened: Resources): Promise<Scene> {
  const proxies: TcpProxy[] = [];
  const started = await startTestServer(opened, {
    // Nothing of this ends by a deadline, on the busiest machine.
    pool: { limits: { deadlineMs: 80_000 } },
    env: async (sandbox) => {
      const { apns, fcm, webpush } = sandbox;
      for (const url of [apns.productionUrl, fcm.url, webpush.urls.webpush_mozilla]) {
        proxies.push(opened.add(await startTcpProxy(url)));
      }
      const [apnsUrl, fcmUrl, mozillaUrl] = proxies.map(({ url }) => url);
      return {
        PUSHCTL_METRICS_LISTEN: '127.0.0.1:0',
        PUSHCTL_APNS_ENDPOINT_PRODUCTION: String(apnsUrl),
        PUSHCTL_FCM_ENDPOINT: String(fcmUrl),
        PUSHCTL_WEBPUSH_ENDPOINTS: `${new URL(sandbox.token({ platform: 'web' })).origin}=${mozillaUrl}`,
      };
    },
  });
  const { team, env } = started;
  const cli = new Cli();
  return {
    ...started,
    ada: await signIn(started, ADA),
    pushctl: (...args) => cli.json(args, { env: { PUSHCTL_DATA_DIR: String(env.PUSHCTL_DATA_DIR) } }),
    async postHeld(people) {
      letAllHaveAccepted(String(env.PUSHCTL_DATA_DIR));
      for (const proxy of proxies) proxy.hold();
      const { event } = (await team.post()).body;
      // Over HTTP/2 one connection carries them all.
      const wanted = String([1, people, people]);
      const made = () => String(proxies.map(({ connections }) => connections));
      await untilIs('all to be on their way', () => made(), wanted);
      return event.public_id;
    },
    release() {
      for (const proxy of proxies) proxy.release();
    },
  };
}

/** A push service that has taken nothing yet gets few pushes at a time, and little time for each. */
function letAllHaveAccepted(dataDir: string): void {
  const db = openDatabase(databasePath(dataDir));
  db.exec('UPDATE device SET accepted_at = 1');
  db.close();
}

async function aPerson(scene: Scene, name: string): Promise<Person> {
  const email = `${name}@example.com`;
  const client = await aMember(scene, email);
  const devices = await Promise.all(
    PLATFORMS.map(async (platform) => {
      const addressed = anAddress(scene.sandbox, platform);
      return { ...addressed, id: await register(client, { platform, ...addressed.address }) };
    }),
  );
  return { email, client, devices };
}

function anAddress(sandbox: Sandbox, platform: Platform): Addressed {
  const token = sandbox.token({ platform });
  if (platform !== 'web') return { platform, token, address: { token } };
  return { platform, token, address: { subscription: { endpoint: token, keys: sandbox.webpush.keysOf(token) } } };
}

async function inTurn<T>(things: readonly T[], act: (thing: T) => Promise<unknown>): Promise<void> {
  for (const thing of things) await act(thing);
}
