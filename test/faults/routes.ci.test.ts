import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STILL_PAUSED } from '../../src/delivery/route-relay.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { type FaultTest, withServer } from '../support/faults.ts';
import { Resources } from '../support/resources.ts';
import { aTeam, serveHere, settled, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const routes = suite('routes that an operator decides about');

interface RouteShown {
  readonly route: string;
  readonly state: string;
  readonly pause: { readonly kind: string; readonly reason: string } | null;
  readonly quarantined: readonly { readonly reason: string; readonly devices: number }[];
}

routes(
  'a pause by an operator holds its route alone, is reported, outlives a restart, and ends when resumed',
  async () => {
    await using opened = new Resources();
    const { server: first, sandbox, env, team: before } = await startTestServer(opened);
    const cli = new Cli();
    const ios = await before.addDevice(sandbox, { platform: 'ios' });
    const android = await before.addDevice(sandbox, { platform: 'android' });
    await cli.json(['route', 'pause', 'fcm'], { env });
    const publicId = (await before.post()).body.event.public_id;
    await sandbox.waitForPush(({ token }) => token === ios.token);
    await first.stop();
    assert.is((await shown(cli, env, 'fcm'))?.state, 'paused', 'also while no server runs');

    const second = await serveHere(opened, env);
    const team = opened.add(await aTeam(env, second.url));
    const fcm = await shown(cli, env, 'fcm');
    assert.equal([fcm?.state, fcm?.pause?.kind], ['paused', 'operator']);
    assert.is((await shown(cli, env, 'apns_production'))?.state, 'open');
    const alone = (await team.post()).body.event.public_id;
    await sandbox.waitForPush(({ token, payload }) => token === ios.token && JSON.stringify(payload).includes(alone));
    assert.not(sandbox.pushes.some(({ token }) => token === android.token));
    const { stdout } = await cli.run(['event', 'show', publicId], { env });
    assert.match(stdout, /fcm since .*: an operator paused it/);

    await cli.json(['route', 'resume', 'fcm'], { env });
    assert.is((await settled(team, alone)).deliveries.pending, 0);
    assert.ok(sandbox.pushes.some(({ token }) => token === android.token));
  },
);

routes("an operator's pause is logged once as it happens, and again at each start after it", async () => {
  await using opened = new Resources();
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = (line: string) => lines.push(JSON.parse(line));
  const takeMessages = () =>
    lines.splice(0).flatMap(({ route, msg }) => (route === 'fcm' && typeof msg === 'string' ? msg : []));
  const { server: first, env } = await startTestServer(opened, { log });
  const cli = new Cli();
  await cli.json(['route', 'pause', 'fcm'], { env });
  await cli.json(['route', 'pause', 'fcm'], { env });
  await first.stop();
  assert.equal(takeMessages(), ['route paused, its pushes wait']);

  const second = await serveHere(opened, env, { log });
  await second.stop();
  const [standing] = lines.filter(({ route }) => route === 'fcm');
  assert.match(String(standing?.since), /^\d{4}-.*\+00:00$/);
  assert.equal(takeMessages(), [STILL_PAUSED]);

  await serveHere(opened, env, { log });
  await cli.json(['route', 'resume', 'fcm'], { env });
  assert.equal(takeMessages(), [STILL_PAUSED, 'route open again']);
});

routes('an event of which nothing was tried names the pause that it waits for', () =>
  withServer(async ({ sandbox, team, env, pauses, addDevices }) => {
    await addDevices('fcm', 1);
    await sandbox.setOutage('oauth', 'refused');
    const { body } = await team.post();
    await until('the pause', () => pauses('fcm').length > 0);
    const cli = new Cli();
    const { stdout } = await cli.run(['event', 'show', body.event.public_id], { env });
    assert.match(stdout, /No push was tried yet: fcm is paused: connect_failed/);
    const { event } = await cli.json<{ event: { waits: unknown[] } }>(['event', 'show', body.event.public_id], { env });
    assert.is(event.waits.length, 1);
  }),
);

routes('a route that its provider paused is tried at once when it is resumed', () =>
  withServer(
    async ({ sandbox, team, env, pauses, addDevices }) => {
      await addDevices('fcm', 1);
      await sandbox.setOutage('fcm', 'refused');
      const { body } = await team.post();
      await until('the pause', () => pauses('fcm').length > 0);
      await sandbox.setOutage('fcm', 'none');
      await new Cli().json(['route', 'resume', 'fcm'], { env });
      assert.is((await settled(team, body.event.public_id)).deliveries.accepted, 1);
    },
    { env: { PUSHCTL_DELIVERY_RETRY_FIRST: '1h', PUSHCTL_DELIVERY_RETRY_MAX: '1h' } },
  ),
);

routes('refused devices are counted before they are ended, and ended when the operator says so', () =>
  withServer(async (server) => {
    const { team, env } = server;
    const cli = new Cli();
    await server.addDevices('apns_production', 3, { behaviour: 'bad_token' });
    const { body } = await team.post();
    await until('all refused', async () => (await shown(cli, env, 'apns_production'))?.quarantined[0]?.devices === 3);
    const prune = ['device', 'prune', '--route', 'apns_production', '--reason'];
    assert.match(await cli.failure(2, [...prune, 'Wrong'], { env }), 'BadDeviceToken');
    const counted = await cli.json<{ devices: number; pruned: number }>([...prune, 'BadDeviceToken'], { env });
    assert.equal([counted.devices, counted.pruned], [3, 0]);
    assert.equal(await statuses(server), ['active', 'active', 'active']);
    const done = await cli.json<{ pruned: number }>([...prune, 'BadDeviceToken', '--yes'], { env });
    assert.is(done.pruned, 3);
    assert.equal(await statuses(server), ['inactive', 'inactive', 'inactive']);
    assert.is((await settled(team, body.event.public_id)).deliveries.unregistered, 3);
    const { quarantined } = await cli.json<{ quarantined: unknown[] }>(['stats'], { env });
    assert.equal(quarantined, []);
  }),
);

routes.run();

async function shown(cli: Cli, env: Readonly<Record<string, string>>, name: string): Promise<RouteShown | undefined> {
  const document = await cli.json<{ routes: RouteShown[] }>(['route', 'list'], { env });
  return document.routes.find(({ route }) => route === name);
}

async function statuses({ team }: FaultTest): Promise<readonly string[]> {
  const page = await team.store.listDevices({ workspace: 'acme', limit: 100 });
  return 'refused' in page ? [] : page.devices.map(({ status }) => status);
}
