import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestServers } from '../support/cluster-servers.ts';
import { fetchReply } from '../support/http.ts';
import { Resources } from '../support/resources.ts';

test('a key may post, and an address test, as often at two servers together as at one', async () => {
  await using opened = new Resources();
  const env = { PUSHCTL_LIMITS_BURST_PER_MINUTE: '10', PUSHCTL_LIMITS_CONNECTION_PER_MINUTE: '4' };
  const { servers, team } = await startTestServers(opened, { env });
  const at = (n: number) => (servers[n % servers.length] ?? servers[0])?.server.url ?? '';
  const post = (n: number, body: object = { channel: 'alerts', title: 'It burns' }) =>
    fetchReply(at(n), '/api/v1/events', { method: 'POST', key: team.key, body });
  for (const n of [0, 1]) assert.is((await post(n, { channel: 'alerts' })).status, 422);
  for (let left = 7; left >= 0; left -= 1) {
    const { status, headers } = await post(left);
    assert.is(status, 202);
    assert.match(String(headers.ratelimit), new RegExp(`^"burst";r=${left};t=\\d+$`));
  }
  for (const n of [0, 1]) {
    const { status, headers, body } = await post(n);
    assert.is(status, 429);
    assert.is(body.code, 'rate_limited');
    assert.match(String(headers.ratelimit), /^"burst";r=0;t=\d+$/);
    assert.ok(Number(headers['retry-after']) > 0 && Number(headers['retry-after']) <= 61);
  }
  const statuses: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    statuses.push((await fetchReply(at(n), '/api/v1/connection', { key: team.key })).status);
  }
  assert.equal(statuses, [200, 200, 200, 200, 429, 429]);
});

test.run();
