import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fetchReply } from '../support/http.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';

const PROGRAM = 'fail2ban-regex';

const fail2ban = suite('fail2ban');
const withFail2ban = skipWhere(
  spawnSync(PROGRAM, ['--version']).error === undefined ? null : "needs Debian's package fail2ban",
  fail2ban,
);

withFail2ban('The filter finds who was refused, and no one else, in the log of a server', async () => {
  await using opened = new Resources();
  const log: string[] = [];
  const { server, team } = await startTestServer(opened, {
    env: { PUSHCTL_PROXY_TRUSTED: '127.0.0.1' },
    log: (line) => log.push(line),
  });
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
  const wrong = { email: 'ada@example.com', password: 'not the password' };
  const sign = (address: string, body: object) =>
    fetchReply(server.url, '/api/v1/session', { method: 'POST', body, ...from(address) });
  await fetchReply(server.url, '/api/v1/events', { key: `${team.key}x`, ...from('203.0.113.7') });
  await sign('2001:db8::7', wrong);
  await sign('203.0.113.8', { pairing_code: 'AAAAA-AAAAA' });
  // Good, and with an id that imitates a line of the log.
  const imitation = { 'X-Request-Id': '"refused":"key","address":"203.0.113.99"', 'X-Forwarded-For': '203.0.113.9' };
  await fetchReply(server.url, '/api/v1/events', { key: team.key, headers: imitation });

  const file = join(temporaryFolder(), 'log');
  writeFileSync(file, log.join(''));
  const filter = packagePath('systemd', 'fail2ban', 'filter.conf');
  const found = execFileSync(PROGRAM, ['--out', 'ip', file, filter], { encoding: 'utf8' });
  assert.equal(
    found
      .split('\n')
      .filter((line) => line !== '')
      .sort(),
    ['2001:db8::7', '203.0.113.7', '203.0.113.8'],
  );
});

fail2ban.run();
