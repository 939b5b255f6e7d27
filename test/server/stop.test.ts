import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageVersion } from '../../src/process/package.ts';
import { socketPath } from '../../src/store/data-folder.ts';
import { openItemStream } from '../../src/store/transports/socket-client.ts';
import { firstBytes, openRaw } from '../support/raw.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const INFO = 30;

test('A clean stop logs no problem despite open requests, watchers and unanswered pushes', async () => {
  await using opened = new Resources();
  const lines: string[] = [];
  const { server, sandbox, team, env } = await startTestServer(opened, {
    env: { PUSHCTL_DELIVERY_STOP_TIMEOUT: '200ms' },
    log: (line) => void lines.push(line),
  });
  for (let n = 0; n < 3; n += 1) {
    await team.addDevice(sandbox, { platform: 'android' });
    await team.addDevice(sandbox, { platform: 'ios' });
  }
  sandbox.behave({ match: {}, answer: { kind: 'silent' } });
  await team.post();

  let seen = 0;
  const path = socketPath(String(env.PUSHCTL_DATA_DIR));
  const watch = { path, version: packageVersion(), call: 'watch', args: {}, onItem: () => void seen++ };
  const stream = await openItemStream(watch);
  await until('a watcher sees the server at work', () => seen > 0 || seen);
  const idle = await openRaw(server.url);
  const sending = await openRaw(server.url);
  sending.write(
    `POST /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${team.key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"cha`,
  );
  const late = team.store.stats({ sinceMs: 0 }).catch(() => null);
  const closed = Promise.all([idle, sending].map(firstBytes));

  lines.length = 0;
  await server.stop();
  await Promise.all([closed, late, stream?.ended.catch(() => null)]);
  const warnings = lines.filter((line) => (JSON.parse(line) as { level: number }).level > INFO);
  assert.equal(warnings, [], lines.join(''));
  assert.match(lines.at(-1) ?? '', '"msg":"stopped"');
});

test.run();
