import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ServiceManager, serviceManager } from '../../src/host/systemd.ts';
import { temporaryFolder } from '../support/folder.ts';

test('The service manager is notified of the start, of a reload, of being alive and of the time that a stop may take', async () => {
  const { manager, heard } = listening({ NOTIFY_SOCKET: '/run/systemd/notify' });
  await manager.ready('Listening on http://127.0.0.1:8080');
  await manager.reloading();
  await manager.alive();
  await manager.stopping(45_000);
  assert.equal(heard(), [
    'READY=1|STATUS=Listening on http://127.0.0.1:8080|',
    'RELOADING=1|STATUS=Reloading certificates and credentials|',
    'WATCHDOG=1|',
    'STOPPING=1|EXTEND_TIMEOUT_USEC=45000000|STATUS=Sending due pushes, then stopping|',
  ]);
});

test('Nothing is notified if no service manager started the process', async () => {
  const { manager, heard } = listening({ WATCHDOG_USEC: '30000000' });
  await manager.ready('Listening');
  await manager.alive();
  assert.equal(heard(), []);
  assert.is(manager.watchdogMs, null);
});

test('The watchdog is for the process that it names', () => {
  const limit = (env: Record<string, string>) => listening({ NOTIFY_SOCKET: '@s', ...env }).manager.watchdogMs;
  assert.is(limit({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '42' }), 30_000);
  assert.is(limit({ WATCHDOG_USEC: '30000000' }), 30_000);
  assert.is(limit({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '43' }), null);
  assert.is(limit({}), null);
});

test('A message that cannot be sent is logged, and nothing else happens', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const env = { NOTIFY_SOCKET: '/run/systemd/notify' };
  await serviceManager({ env, pid: 42, log, notify: '/nonexistent/systemd-notify' }).alive();
  assert.match(lines.join(''), 'systemd could not be notified');
});

test('A message whose messenger was ended by the signal that stops the service is sent again', async () => {
  const { manager, heard } = listening({ NOTIFY_SOCKET: '/run/systemd/notify' }, 'kill -TERM $$');
  await manager.stopping(45_000);
  assert.equal(heard(), ['STOPPING=1|EXTEND_TIMEOUT_USEC=45000000|STATUS=Sending due pushes, then stopping|']);
});

test.run();

/**
 * A manager whose messages go to a stand-in for systemd-notify, which writes down each of its arguments. `firstTime`:
 * what its first run does instead.
 */
function listening(
  env: Readonly<Record<string, string>>,
  firstTime = 'true',
): { manager: ServiceManager; heard: () => string[] } {
  const folder = temporaryFolder();
  const notify = join(folder, 'systemd-notify');
  const heard = join(folder, 'heard');
  writeFileSync(heard, '');
  const onFirst = `if mkdir '${folder}/ran' 2>/dev/null; then ${firstTime}; fi`;
  writeFileSync(notify, `#!/bin/sh\n${onFirst}\n{ printf '%s|' "$@"; echo; } >> '${heard}'\n`);
  chmodSync(notify, 0o755);
  return {
    manager: serviceManager({ env, pid: 42, log: pino({ level: 'silent' }), notify }),
    heard: () => readFileSync(heard, 'utf8').split('\n').filter(Boolean),
  };
}
