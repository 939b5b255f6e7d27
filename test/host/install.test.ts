import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installSteps, uninstallSteps } from '../../src/host/install.ts';
import type { Machine } from '../../src/host/machine.ts';
import { carryOut } from '../../src/host/steps.ts';
import { OperatorProblem } from '../../src/problem.ts';
import { temporaryFolder } from '../support/folder.ts';

const TEXTS = {
  units: [
    { name: 'pushctl.service', text: '[Service]\nExecStart=/usr/bin/pushctl serve\n' },
    { name: 'pushctl-credentials.service', text: '[Service]\nExecStart=/usr/bin/pushctl __hand-over /run/pushctl\n' },
    { name: 'pushctl-credentials.timer', text: '[Timer]\n' },
  ],
  config: '# every setting\n',
  manual: Buffer.from('.TH PUSHCTL 1'),
};
const UNIT = 'etc/systemd/system/pushctl.service';
const HELPER = 'etc/systemd/system/pushctl-credentials.service';
const CONFIG = 'etc/pushctl/pushctl.toml';
const LINK = 'usr/local/bin/pushctl';
const MAN_PAGE = 'usr/local/share/man/man1/pushctl.1.gz';

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
    'sysusers --inline u pushctl - "pushctl server" /var/lib/pushctl',
    'systemctl enable --quiet pushctl.service',
  ]);
});

test('Nobody but root can read the configuration', () => {
  const { root, install } = aMachine();
  install();
  assert.is(statSync(join(root, CONFIG)).mode & 0o777, 0o600);
  assert.is(statSync(dirname(join(root, CONFIG))).mode & 0o777, 0o700);
});

test('A second installation changes nothing that is there, and starts a running service anew', () => {
  const { root, ran, install } = aMachine({ isRunning: true });
  install();
  writeFileSync(join(root, CONFIG), 'listen = "127.0.0.1:9"\n');
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0\npushctl:x:995:995\n');
  ran.length = 0;
  const states = install().map(({ state }) => state);
  assert.equal(states, [...Array(7).fill('already so'), 'done', 'done']);
  assert.equal(ran, [
    'systemctl enable --quiet pushctl.service',
    'systemctl daemon-reload',
    'systemctl restart pushctl.service',
  ]);
  assert.is(readFileSync(join(root, CONFIG), 'utf8'), 'listen = "127.0.0.1:9"\n');
});

test('A dry run does nothing and says what it would do', () => {
  const { root, ran, install } = aMachine();
  assert.ok(install(true).every(({ state }) => state === 'would be done'));
  assert.equal(ran, []);
  assert.not(existsSync(join(root, CONFIG)));
});

test('Uninstalling stops the service and takes away what was installed, but neither configuration nor data', () => {
  const { root, ran, install, uninstall } = aMachine({ isRunning: true });
  install();
  mkdirSync(join(root, 'var/lib/pushctl'), { recursive: true });
  ran.length = 0;
  assert.ok(uninstall().every(({ state }) => state === 'done'));
  assert.equal(ran, ['systemctl disable --quiet --now pushctl.service', ...Array(3).fill('systemctl daemon-reload')]);
  assert.equal(readdirSync(dirname(join(root, UNIT))), []);
  assert.not(existsSync(join(root, LINK)));
  assert.not(existsSync(join(root, MAN_PAGE)));
  assert.ok(existsSync(join(root, CONFIG)));
  assert.ok(existsSync(join(root, 'var/lib/pushctl')));
});

test('Uninstalling what is not installed does nothing', () => {
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

test('What the Debian package installed is left to apt', () => {
  const { root, install, uninstall } = aMachine();
  mkdirSync(join(root, 'lib/systemd/system'), { recursive: true });
  writeFileSync(join(root, 'lib/systemd/system/pushctl.service'), '');
  for (const act of [install, uninstall])
    assert.throws(
      () => act(),
      (error: unknown) => isProblem(error, /Use apt/),
    );
});

test('What was installed from a checkout before the Debian package gives way to it, and its data stays', () => {
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

test('A package where the service may not look is refused', () => {
  const { root, installFrom } = aMachine();
  mkdirSync(join(root, 'srv/pushctl'), { recursive: true });
  chmodSync(join(root, 'srv'), 0o700);
  assert.throws(
    () => installFrom('/home/ann/pushctl'),
    (error: unknown) => isProblem(error, /may not look into \/home/),
  );
  assert.throws(
    () => installFrom('/srv/pushctl'),
    (error: unknown) => isProblem(error, /\/srv is closed to other users/),
  );
  assert.throws(
    () => installFrom('/srv/none'),
    (error: unknown) => isProblem(error, /there is no \/srv\/none/),
  );
});

test('A package that another user could change is refused, whichever file of it, and whatever lies above it', () => {
  const { root, installFrom } = aMachine();
  const refused = (path: string) =>
    assert.throws(
      () => installFrom('/srv/some/pushctl'),
      (error: unknown) =>
        isProblem(error, /can be changed by another user than root/) && isProblem(error, new RegExp(path)),
    );
  const main = join(root, 'srv/some/pushctl/dist/main.js');
  mkdirSync(dirname(main), { recursive: true });
  writeFileSync(main, '');
  chmodSync(main, 0o666);
  refused('dist/main.js');
  chmodSync(main, 0o644);
  symlinkSync('main.js', join(dirname(main), 'inside'));
  symlinkSync('../../elsewhere', join(dirname(main), 'outside'));
  refused('dist/outside');
  rmSync(join(dirname(main), 'outside'));
  chmodSync(dirname(main), 0o777);
  refused('pushctl/dist');
  chmodSync(dirname(main), 0o755);
  chmodSync(join(root, 'srv/some'), 0o777);
  refused('/srv/some');
  chmodSync(join(root, 'srv/some'), 0o755);
  assert.ok(installFrom('/srv/some/pushctl').length > 0);
  if (process.geteuid?.() !== 0) return;
  chownSync(main, 65_534, 65_534);
  refused('dist/main.js');
  chownSync(main, 0, 0);
  chownSync(join(root, 'srv'), 65_534, 0);
  refused('/srv');
});

test('A folder above the package that a group may write counts, unless it is sticky or the group is root’s', () => {
  if (process.geteuid?.() !== 0) return;
  const { root, installFrom } = aMachine();
  const above = join(root, 'srv');
  mkdirSync(join(above, 'some/pushctl'), { recursive: true });
  const installed = () => installFrom('/srv/some/pushctl').length > 0;
  chownSync(above, 0, 65_534);
  chmodSync(above, 0o775);
  assert.throws(installed, (error: unknown) => isProblem(error, /\/srv can be changed by another user than root/));
  chmodSync(above, 0o1775);
  assert.ok(installed());
  chmodSync(above, 0o775);
  chownSync(above, 0, 0);
  assert.ok(installed());
});

test.run();

/** A machine that is a folder. It has pushctl in /opt, and writes down which tools were run. */
function aMachine({ isRunning = false } = {}) {
  const root = temporaryFolder();
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0\n');
  mkdirSync(join(root, 'opt/pushctl'), { recursive: true });
  const ran: string[] = [];
  const machine: Machine = {
    isRunning,
    path: (file) => join(root, file),
    systemctl: (...args) => void ran.push(['systemctl', ...args].join(' ')),
    sysusers: (...args) => void ran.push(['sysusers', ...args].join(' ')),
  };
  const installFrom = (packageDir: string, isDryRun = false) =>
    carryOut(installSteps({ machine, packageDir }, TEXTS), isDryRun);
  return {
    root,
    ran,
    installFrom,
    install: (isDryRun = false) => installFrom('/opt/pushctl', isDryRun),
    uninstall: (packageDir = '/opt/pushctl') => carryOut(uninstallSteps({ machine, packageDir }), false),
  };
}

function isProblem(error: unknown, message: RegExp): boolean {
  return error instanceof OperatorProblem && message.test(error.message);
}
