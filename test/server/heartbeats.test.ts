import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Heartbeat } from '../../src/store/calls.ts';
import { plainRequest } from '../support/plain-request.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const test = suite('server: heartbeats');

test('A ping that reports a failure is a push at once, and so is the one that brings it back', async () => {
  await using opened = new Resources();
  const { server, sandbox, team } = await startTestServer(opened, { env: { PUSHCTL_METRICS_LISTEN: '127.0.0.1:0' } });
  await team.addDevice(sandbox, { platform: 'android' });
  const made = await team.store.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug: 'backup' });
  const { uuid } = granted(made);
  const ping = async (suffix: string) => (await plainRequest(`${server.url}/ping/${uuid}${suffix}`)).status;
  const bodies = () => sandbox.pushes.map(({ payload }) => JSON.stringify(payload));

  assert.is(await ping('/3'), 200);
  await until('the push', () => bodies().some((body) => body.includes('backup is down')));
  const metrics = (await plainRequest(String(server.metricsUrl))).text;
  assert.match(metrics, /^pushctl_heartbeats\{state="down"\} 1$/m);
  assert.match(metrics, /^pushctl_heartbeats\{state="up"\} 0$/m);

  assert.is(await ping(''), 200);
  await until('the push of its way back', () => bodies().some((body) => body.includes('backup is up again')));
  const shown = granted(await team.store.showHeartbeat({ workspace: 'acme', slug: 'backup' })) as Heartbeat;
  assert.is(shown.state, 'up');
});

test.run();
