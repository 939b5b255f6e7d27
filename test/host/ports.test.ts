import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePort } from '../../src/config/units.ts';
import { checkPorts } from '../../src/host/doctor/files.ts';
import { checkSockets } from '../../src/host/doctor/server.ts';
import { aMachine } from '../support/install.ts';
import { valuesOf } from '../support/values-of.ts';

const DROP_IN = 'etc/systemd/system/pushctl.socket.d/port.conf';
const HTTP_DROP_IN = 'etc/systemd/system/pushctl-http.socket.d/port.conf';
const SOCKETS = 'pushctl.socket pushctl-http.socket';
const HTTPS = { host: null, port: 443 };

test('A port is a number, or an IP address with one', () => {
  for (const text of ['443', ':443']) assert.equal(parsePort(text), HTTPS);
  assert.equal(parsePort('203.0.113.7:443'), { host: '203.0.113.7', port: 443 });
  assert.equal(parsePort('[2001:db8::7]:443'), { host: '2001:db8::7', port: 443 });
  for (const text of ['', '0', '65536', 'localhost:443', '443/tcp', '2001:db8::7:443'])
    assert.is(parsePort(text), null);
});

test('A port for systemd to hold is written beside the unit, and all is stopped once to open it', () => {
  const { root, ran, install, installOn } = aMachine({ isRunning: true });
  install();
  ran.length = 0;
  installOn({ https: HTTPS, http: { host: null, port: 80 } });
  assert.is(readFileSync(join(root, DROP_IN), 'utf8'), '[Socket]\nListenStream=\nListenStream=443\n');
  assert.is(readFileSync(join(root, HTTP_DROP_IN), 'utf8'), '[Socket]\nListenStream=\nListenStream=80\n');
  assert.equal(ran, [
    'systemctl enable --quiet pushctl.socket',
    'systemctl enable --quiet pushctl-http.socket',
    'systemctl daemon-reload',
    `systemctl stop pushctl.service ${SOCKETS}`,
    `systemctl start ${SOCKETS} pushctl.service`,
  ]);
});

test('A later version is installed on the same ports with one restart, during which clients wait', () => {
  const { root, ran, install, installOn } = aMachine({ isRunning: true });
  installOn({ https: { host: '2001:db8::7', port: 8443 } });
  const written = '[Socket]\nListenStream=\nListenStream=[2001:db8::7]:8443\nFreeBind=yes\n';
  for (const again of [install, () => installOn({ https: { host: '2001:db8::7', port: 8443 } })]) {
    ran.length = 0;
    again();
    assert.is(readFileSync(join(root, DROP_IN), 'utf8'), written);
    assert.equal(ran, ['systemctl daemon-reload', 'systemctl restart pushctl.service']);
  }
});

test('Uninstalling leaves no port with systemd', () => {
  const { root, ran, installOn, uninstall } = aMachine({ isRunning: true });
  installOn({ https: HTTPS });
  ran.length = 0;
  uninstall();
  assert.equal(ran.slice(0, 2), [
    'systemctl disable --quiet --now pushctl.service',
    'systemctl disable --quiet --now pushctl.socket',
  ]);
  for (const file of [dirname(DROP_IN), 'etc/systemd/system/pushctl.socket']) {
    assert.not(existsSync(join(root, file)), file);
  }
});

test('The same command gives the service of the Debian package its ports and changes nothing else', () => {
  const { root, installOn } = aPackaged();
  installOn({ https: HTTPS });
  assert.ok(existsSync(join(root, DROP_IN)));
  assert.not(existsSync(join(root, 'etc/systemd/system/pushctl.service')));
});

test('If the Debian package replaces an installation from a checkout, the ports stay', () => {
  const { root, ran, installOn, uninstall } = aMachine({ isRunning: true });
  installOn({ https: HTTPS });
  packaged(root);
  ran.length = 0;
  uninstall('/usr/lib/pushctl');
  assert.ok(existsSync(join(root, DROP_IN)));
  assert.not(existsSync(join(root, 'etc/systemd/system/pushctl.socket')));
  assert.equal(ran.slice(-4), [
    'systemctl reenable --quiet pushctl.socket',
    'systemctl enable --quiet pushctl.service',
    'systemctl daemon-reload',
    'systemctl restart pushctl.service',
  ]);
});

test('A port that others can reach wants TLS, or the proxy in front, before anything is installed', () => {
  const plain = { tls: null, proxy: { trusted: [] }, baseUrl: null };
  const http = { host: null, port: 80 };
  const named = { https: HTTPS, http };
  assert.equal(valuesOf(checkPorts(plain, named), 'check', 'status'), [
    'pushctl.socket fail',
    'pushctl-http.socket fail',
  ]);
  assert.equal(checkPorts({ ...plain, tls: { cert: '-', key: '-' } }, named), []);
  assert.equal(checkPorts(plain, { https: { host: '127.0.0.1', port: 443 } }), []);
  assert.equal(checkPorts({ ...plain, proxy: { trusted: ['192.0.2.1'] } }, { https: HTTPS }), []);
  assert.equal(checkPorts({ ...plain, baseUrl: 'https://push.example.com/api' }, { http }), []);
});

test("A server that does not listen on the port of systemd's socket is a failure, and an unknown address a warning", () => {
  const https = { unit: 'pushctl.socket' as const, state: 'failed', address: '[::]:443' };
  const server = { url: 'http://127.0.0.1:8080', socket: null, redirects_from: null };
  const [elsewhere] = checkSockets({ https }, server, { baseUrl: null, tls: null });
  assert.is(elsewhere?.status, 'fail');
  assert.match(elsewhere?.message ?? '', '[::]:443 for the server and does not (failed): the server listens on http:');
  const there = { url: 'https://[::]:443', socket: 'pushctl.socket', redirects_from: null };
  const statuses = (baseUrl: string | null) =>
    checkSockets({ https }, there, { baseUrl, tls: null }).map(({ status }) => status);
  assert.equal([statuses(null), statuses('https://push.example.com/api')], [['ok', 'warn'], ['ok']]);
  assert.equal(checkSockets({}, server, { baseUrl: null, tls: null }), [], 'no port is held');
});

test.run();

function aPackaged() {
  const machine = aMachine({ isRunning: true });
  packaged(machine.root);
  return machine;
}

function packaged(root: string): void {
  mkdirSync(join(root, 'lib/systemd/system'), { recursive: true });
  writeFileSync(join(root, 'lib/systemd/system/pushctl.service'), '');
}
