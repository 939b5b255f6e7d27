import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath, packageVersion } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';
import { deadlineFor } from '../support/until.ts';

const KEY = 'packages@example.com';
const PUBLISH = `/opt/pushctl/systemd/debian/repository ${KEY} /srv/apt`;
const APT = 'DEBIAN_FRONTEND=noninteractive apt-get -qq';
const PID = 'systemctl show --value --property MainPID pushctl';
const NEWER = '99.0.0';
/** The app is built and compressed into a package. */
const BUILD_MS = 270_000;
const QUICKLY = { DPKG_DEB_COMPRESSOR_TYPE: 'gzip', DPKG_DEB_COMPRESSOR_LEVEL: '1' };
/** From a mirror; those alone that this machine lacks. */
const UPGRADER = `apt-get install --simulate --no-install-recommends unattended-upgrades | sed -n 's/^Inst \\([^ ]*\\).*/\\1/p' |
  timeout --kill-after=5 60 xargs --no-run-if-empty apt-get -qq download`;

const folder = temporaryFolder();
const hasTools = ['dpkg-deb', 'npm', 'gpg', 'gpg-agent'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const obstacle = hasTools ? Machine.obstacle() : 'needs dpkg-deb, npm, gpg and gpg-agent';
const upgrader = join(folder, 'upgrader');
mkdirSync(upgrader);

const repository = suite('systemd: repository');
const withRepository = skipWhere(obstacle, repository);
const withUpgrader = skipWhere(obstacle ?? upgraderObstacle(), repository);

repository.before(async () => {
  if (obstacle !== null) return;
  const options = { timeout: deadlineFor(BUILD_MS), env: { ...process.env, ...QUICKLY } };
  await promisify(execFile)(packagePath('systemd', 'debian', 'build'), [folder], options);
});

withRepository('The package has no file in the folder for settings and keys of a container', () => {
  const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  const { stdout } = spawnSync('dpkg-deb', ['--contents', join(folder, file)], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  assert.match(stdout, 'systemd/pushctl.service');
  assert.not.match(stdout, 'systemd/container');
});

withRepository('apt installs and upgrades the package from a signed folder, and the new version runs', () =>
  onClient(async (machine) => {
    await machine.run(`${APT} install pushctl`);
    assert.is(await machine.run('systemctl is-active pushctl && pushctl --version'), `active\n${packageVersion()}`);
    const pid = await machine.run(PID);
    await publishNewer(machine);
    await machine.run(`${APT} update && ${APT} upgrade`);
    assert.match(await machine.run('pushctl status || true'), `pushctl ${NEWER} runs since`);
    assert.is.not(await machine.run(PID), pid);

    await machine.run("sed -i 's/^Suite: stable/Suite: other/' /srv/apt/InRelease");
    assert.match(await machine.run(`${APT} update 2>&1 || true`), /signature/i);
  }),
);

withUpgrader('unattended-upgrades brings the next version by itself, as the documents say', () =>
  onClient(async (machine) => {
    await machine.run(`${APT} install pushctl && ${APT} install /opt/packages/upgrader/*.deb`);
    const pid = await machine.run(PID);
    await publishNewer(machine);
    await machine.run(`${APT} update`);
    await machine.run('unattended-upgrade');
    assert.is(await machine.run('pushctl --version'), packageVersion(), 'it is not among the origins yet');
    const [, file = ''] = /echo '(Unattended-Upgrade::[^']*)'/.exec(documented()) ?? [];
    await machine.run(`echo '${file}' > /etc/apt/apt.conf.d/52pushctl && unattended-upgrade`);
    assert.match(await machine.run('pushctl status || true'), `pushctl ${NEWER} runs since`);
    assert.is.not(await machine.run(PID), pid);
  }),
);

repository.run();

/** Whose only source is the repository, made and signed there. */
async function onClient(test: (machine: Machine) => Promise<void>): Promise<void> {
  const machine = await Machine.boot({ packages: folder });
  try {
    await machine.run(`
      rm -f /usr/sbin/policy-rc.d
      export GNUPGHOME=/root/keys && mkdir -m 700 /root/keys
      gpg --batch --quiet --passphrase '' --quick-generate-key ${KEY} ed25519 sign never
      ${PUBLISH} /opt/packages/pushctl_*.deb
      rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*
      install -Dm644 /srv/apt/pushctl.asc /etc/apt/keyrings/pushctl.asc`);
    const [, source = ''] = /echo '(deb \[signed-by=[^']*)'/.exec(documented()) ?? [];
    assert.match(source, 'https://packages.example.com');
    const here = source.replace('https://packages.example.com', 'file:/srv/apt');
    await machine.run(`echo '${here}' > /etc/apt/sources.list.d/pushctl.list && ${APT} update`);
    await test(machine);
  } finally {
    await machine.end();
  }
}

function documented(): string {
  return readFileSync(packagePath('docs', 'operations.md'), 'utf8');
}

async function publishNewer(machine: Machine): Promise<void> {
  await machine.run(`
    cd /root && dpkg-deb --raw-extract /opt/packages/pushctl_*.deb newer
    sed -i 's/^Version: .*/Version: ${NEWER}/' newer/DEBIAN/control
    rm newer/usr/lib/pushctl/dist/build.json
    sed -i 's/"version": "[^"]*"/"version": "${NEWER}"/' newer/usr/lib/pushctl/package.json
    dpkg-deb --build -Znone newer pushctl_${NEWER}.deb > /dev/null
    GNUPGHOME=/root/keys ${PUBLISH} /root/pushctl_${NEWER}.deb`);
}

function upgraderObstacle(): string | null {
  const { status, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', UPGRADER], { cwd: upgrader, encoding: 'utf8' });
  return status === 0 ? null : `needs Debian's unattended-upgrades: ${stderr.trim().split('\n').at(-1)}`;
}
