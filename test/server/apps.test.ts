import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { quarantineFindings } from '../../src/health/findings.ts';
import { Resources } from '../support/resources.ts';
import { aTeam, serveHere, settled, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const PARTNER = 'com.example.partner';
const test = suite('several apps of one team');

test('pushes to an app that left the configuration wait, hold up no other, and go out once it is back', async () => {
  await using opened = new Resources();
  const { server, sandbox, env, team } = await startTestServer(opened, { sandbox: { topics: [PARTNER] } });
  const own = await team.addDevice(sandbox, { platform: 'ios' });
  const partners = await team.addDevice(sandbox, { platform: 'ios', app: PARTNER });
  const first = await team.post();
  assert.is((await settled(team, first.body.event.public_id)).deliveries.accepted, 2);
  assert.is(sandbox.pushes.find(({ token }) => token === partners.token)?.headers['apns-topic'], PARTNER);
  await server.stop();

  await using without = new Resources();
  const narrowed = await serveHere(without, { ...env, PUSHCTL_APNS_TOPICS: '' });
  const meanwhile = await aTeam(env, narrowed.url);
  const second = (await meanwhile.post()).body.event.public_id;
  await until(
    'the push to the other app',
    () => sandbox.pushes.filter(({ token }) => token === own.token).length === 2,
  );
  const route = async () => (await meanwhile.store.listRoutes({})).find((entry) => entry.route === 'apns_production');
  await until('the finding', async () => route().then((entry) => (entry?.quarantined.length ?? 0) > 0));
  const found = await route();
  if (found === undefined) throw new Error('APNs is configured');
  assert.is(found.live?.pause ?? null, null);
  const [finding] = quarantineFindings(found);
  assert.match(
    finding?.message ?? '',
    /^1 device belongs to an app that is not configured, since .*; its pushes wait$/,
  );
  assert.match(finding?.advice ?? '', 'add the app that pushctl device list shows to apns.topics');
  await until(
    'the other push is settled',
    async () =>
      (await meanwhile.read(second)).deliveries.accepted === 1 || (await meanwhile.read(second)).deliveries.accepted,
  );
  assert.is((await meanwhile.read(second)).deliveries.pending, 1);
  await meanwhile.close();
  await narrowed.stop();

  const again = await serveHere(opened, env);
  const back = opened.add(await aTeam(env, again.url));
  assert.is((await settled(back, second)).deliveries.accepted, 2);
  assert.is(sandbox.pushes.filter(({ token }) => token === partners.token).length, 2);
});

test.run();
