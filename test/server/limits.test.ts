import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestServers } from '../support/cluster-servers.ts';
import { fetchReply } from '../support/http.ts';
import { Opened } from '../support/opened.ts';

test('a key may post as often to two servers together as to one, and both tell what is left', async () => {
  await using opened = new Opened();
  const { servers, team } = await startTestServers(opened, { env: { PUSHCTL_LIMITS_BURST_PER_MINUTE: '10' } });
  const post = (n: number) => {
    const { url } = (servers[n % servers.length] ?? servers[0])?.server ?? { url: '' };
    const body = { channel: 'alerts', title: 'It burns' };
    return fetchReply(url, '/api/v1/events', { method: 'POST', key: team.key, body });
  };
  for (let left = 9; left >= 0; left -= 1) {
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
});

test.run();
