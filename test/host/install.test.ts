import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { aMachine, CONFIG, HELPER, isProblem, LINK, MAN_PAGE, TEXTS, UNIT } from '../support/install.ts';

test('An installation puts user, configuration, unit, link and man page in place and enables the service', () => {
  const { root, ran, install } = aMachine();
  assert.ok(install().every(({ state }) => state === 'done'));
  assert.is(readFileSync(join(root, UNIT), 'utf8'), '[Service]\nExecStart="/opt/pushctl/bin/pushctl" serve\n');
  assert.match(
    readFileSync(join(root, HELPER), 'utf8'),
    'ExecStart="/opt/pushctl/bin/pushctl" __hand-over /run/pushctl\n',
  );
  assert.is(readFileSync(join(root, CONFIG), 'utf8'), TEXTS.config);
  assert.is(readlinkSync(join(root, LINK)), '/opt/pushctl/bin/pushctl');
  assert.equal(readFileSync(join(root, MAN_PAGE)), TEXTS.manual);
  assert.is(statSync(join(root, MAN_PAGE)).mode & 0o777, 0o644);
  assert.equal(ran, [
    'sysusers --inline u pushctl - "pushctl server" /var/lib/pushctl g pushctl-keys -',
    'systemctl enable --quiet pushctl.service',
  ]);
});

test('With any umask of root, every user can find the man page and the command', () => {
  const umask = process.umask(0o077);
  const { root, install } = aMachine();
  install();
  process.umask(umask);
  for (const file of [LINK, MAN_PAGE]) assert.is(statSync(dirname(join(root, file))).mode & 0o777, 0o755, file);
});

test('A data folder that the unit does not name is one that the service may write to, until it is uninstalled', () => {
  const { root, install, uninstall } = aMachine({ dataDir: '/srv/push data' });
  const dropIn = join(root, 'etc/systemd/system/pushctl.service.d/data-dir.conf');
  install();
  assert.is(readFileSync(dropIn, 'utf8'), '[Service]\nReadWritePaths="-/srv/push data"\n');
  uninstall();
  assert.not(existsSync(dropIn));
  const usual = aMachine({ dataDir: '/var/lib/pushctl' });
  usual.install();
  assert.not(existsSync(join(usual.root, 'etc/systemd/system/pushctl.service.d')));
});

test('Only root can read the configuration', () => {
  const { root, install } = aMachine();
  install();
  assert.is(statSync(join(root, CONFIG)).mode & 0o777, 0o600);
  assert.is(statSync(dirname(join(root, CONFIG))).mode & 0o777, 0o700);
});

test('A second installation changes nothing that is there, and restarts a running service', () => {
  const { root, ran, install } = aMachine({ isRunning: true });
  install();
  writeFileSync(join(root, CONFIG), 'listen = "127.0.0.1:9"\n');
  ran.length = 0;
  const states = install().map(({ state }) => state);
  assert.equal(states, [...Array(9).fill('already so'), 'done']);
  assert.equal(ran, ['systemctl daemon-reload', 'systemctl restart pushctl.service']);
  assert.is(readFileSync(join(root, CONFIG), 'utf8'), 'listen = "127.0.0.1:9"\n');
});

test('A second installation leaves a service stopped, and says how to start it, also if its ports change', () => {
  const { ran, install, installOn, stop } = aMachine({ isRunning: true });
  install();
  stop();
  ran.length = 0;
  assert.match(String(install().at(-1)?.what), /^leave the service stopped.*systemctl start pushctl/);
  installOn({ https: { host: null, port: 443 } });
  assert.equal(ran, ['systemctl daemon-reload', 'systemctl enable --quiet pushctl.socket', 'systemctl daemon-reload']);
});

test('A dry run does nothing and says what it would do', () => {
  const { root, ran, install } = aMachine();
  assert.ok(install(true).every(({ state }) => state === 'would be done'));
  assert.equal(ran, []);
  assert.not(existsSync(join(root, CONFIG)));
});

test('Uninstalling stops the service and removes the installed files, but neither configuration nor data', () => {
  const { root, ran, install, uninstall } = aMachine({ isRunning: true });
  install();
  mkdirSync(join(root, 'var/lib/pushctl'), { recursive: true });
  mkdirSync(join(root, 'run/pushctl'), { recursive: true });
  writeFileSync(join(root, 'run/pushctl/tls.key'), 'key');
  ran.length = 0;
  assert.ok(uninstall().every(({ state }) => state === 'done'));
  assert.equal(ran, ['systemctl disable --quiet --now pushctl.service', ...Array(5).fill('systemctl daemon-reload')]);
  assert.equal(readdirSync(dirname(join(root, UNIT))), []);
  assert.not(existsSync(join(root, LINK)));
  assert.not(existsSync(join(root, MAN_PAGE)));
  assert.not(existsSync(join(root, 'run/pushctl')), 'no copy of a key is left');
  assert.ok(existsSync(join(root, CONFIG)));
  assert.ok(existsSync(join(root, 'var/lib/pushctl')));
});

test('Uninstalling without an installation does nothing', () => {
  const { ran, uninstall } = aMachine();
  assert.ok(uninstall().every(({ state }) => state === 'already so'));
  assert.equal(ran, []);
});

test('A link of the same name that leads elsewhere is not removed', () => {
  const { root, uninstall } = aMachine();
  mkdirSync(dirname(join(root, LINK)), { recursive: true });
  symlinkSync('/srv/other', join(root, LINK));
  uninstall();
  assert.is(readlinkSync(join(root, LINK)), '/srv/other');
});

test('The files of the Debian package are left to apt', () => {
  const { root, install, uninstall } = aMachine();
  mkdirSync(join(root, 'lib/systemd/system'), { recursive: true });
  writeFileSync(join(root, 'lib/systemd/system/pushctl.service'), '');
  for (const act of [install, uninstall])
    assert.throws(
      () => act(),
      (error: unknown) => isProblem(error, /Use apt/),
    );
});

test('An installation from a checkout gives way to the Debian package, and its data stays', () => {
  const { root, ran, install, uninstall } = aMachine({ isRunning: true });
  install();
  writeFileSync(join(root, CONFIG), 'listen = "127.0.0.1:9"\n');
  mkdirSync(join(root, 'lib/systemd/system'), { recursive: true });
  writeFileSync(join(root, 'lib/systemd/system/pushctl.service'), '');
  ran.length = 0;
  uninstall('/usr/lib/pushctl');
  assert.equal(readdirSync(dirname(join(root, UNIT))), []);
  assert.not(existsSync(join(root, LINK)));
  assert.equal(ran.slice(-3), [
    'systemctl enable --quiet pushctl.service',
    'systemctl daemon-reload',
    'systemctl restart pushctl.service',
  ]);
  assert.is(readFileSync(join(root, CONFIG), 'utf8'), 'listen = "127.0.0.1:9"\n');
});

test('The package’s service may write to a data folder elsewhere as the checkout’s did, and has its keys', () => {
  const { root, install, uninstall } = aMachine({ dataDir: '/srv/pushctl' });
  const dropIn = 'pushctl.service.d/data-dir.conf';
  install();
  for (const folder of ['lib/systemd/system', 'run/pushctl']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'lib/systemd/system/pushctl.service'), '');
  const steps = uninstall('/usr/lib/pushctl').map(({ what }) => what);
  assert.is(
    readFileSync(join(root, 'etc/systemd/system', dropIn), 'utf8'),
    '[Service]\nReadWritePaths="-/srv/pushctl"\n',
  );
  assert.ok(existsSync(join(root, 'run/pushctl')));
  assert.not(steps.some((what) => what.includes(dropIn) || what.includes('/run/pushctl')));
});

test('A unit of an operator’s own over the Debian package’s is left alone', () => {
  const { root, uninstall } = aMachine();
  for (const folder of ['lib/systemd/system', 'etc/systemd/system']) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'pushctl.service'), '[Service]\nExecStart=/usr/bin/pushctl serve\n');
  }
  assert.throws(
    () => uninstall(),
    (error: unknown) => isProblem(error, /Use apt/),
  );
  assert.ok(existsSync(join(root, UNIT)));
});

test.run();
