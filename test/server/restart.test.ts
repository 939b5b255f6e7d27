import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Opened } from '../support/opened.ts';
import { serveHere, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** The provider is away when the old server stops, so everything is still in the queue. */
test('What waits when a server stops is sent by the next one, each push once', async () => {
  await using opened = new Opened();
  const first = await startTestServer(opened, { env: { PUSHCTL_DELIVERY_STOP_TIMEOUT: '0ms' } });
  const { sandbox, team, env } = first;
  for (let n = 0; n < 3; n += 1) await team.addDevice(sandbox, { platform: 'android' });
  const mend = sandbox.behave({
    match: { face: 'fcm' },
    answer: { kind: 'refuse', reason: 'UNAVAILABLE', status: 503, retryAfterS: 1 },
  });
  const posted = await Promise.all(Array.from({ length: 5 }, () => team.post()));
  await first.server.stop();
  mend();

  const pushesOf = (publicId: string) =>
    sandbox.pushes.filter(({ payload }) => JSON.stringify(payload).includes(publicId));
  await serveHere(opened, env);
  for (const { body } of posted) {
    const { public_id: publicId } = body.event;
    await until('three pushes of each event', () => pushesOf(publicId).length === 3);
  }
  assert.is(sandbox.pushes.length, 15);
});

test.run();
