import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { arch } from 'node:process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath, packageVersion } from '../../src/process/package.ts';
import { makeAuthority } from '../../src/sandbox/credentials.ts';
import { readMigrations } from '../../src/store/sqlite/migrations.ts';
import { temporaryFolder } from '../support/folder.ts';
import { withHost } from '../support/host.ts';
import { knockDuring, knocked } from '../support/knocking.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';
import { deadlineFor } from '../support/until.ts';

const APT = 'DEBIAN_FRONTEND=noninteractive apt-get -qq';
const INSTALL = `${APT} install --reinstall /opt/packages/pushctl_*.deb`;
/** Machine images may forbid packages to start services; a real one does not. */
const LIKE_A_REAL_ONE = 'rm -f /usr/sbin/policy-rc.d';
const FRAGMENT = 'systemctl show --value --property FragmentPath pushctl';
const NEWER = '99.0.0';
/** The app is built and compressed into a package. */
const BUILD_MS = 270_000;
/** A package that is thrown away need not be small. */
const QUICKLY = { DPKG_DEB_COMPRESSOR_TYPE: 'gzip', DPKG_DEB_COMPRESSOR_LEVEL: '1' };

const hasTools = ['dpkg-deb', 'npm'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const withPackage = skipWhere(hasTools ? Machine.obstacle() : 'needs dpkg-deb and npm', test);
const folder = temporaryFolder();

withPackage(
  'The package is built from what is installed already, for this machine, and named by its version',
  async () => {
    const build = packagePath('systemd', 'debian', 'build');
    await promisify(execFile)(build, [folder], { timeout: deadlineFor(BUILD_MS), env: { ...process.env, ...QUICKLY } });
    assert.equal(readdirSync(folder), [`pushctl_${packageVersion()}_${arch === 'x64' ? 'amd64' : arch}.deb`]);
  },
);

withPackage('Installing the package gives a running, enabled service, and pushctl with its man page on the PATH', () =>
  onDebian(async (machine) => {
    assert.is(await machine.run('systemctl is-active pushctl && systemctl is-enabled pushctl'), 'active\nenabled');
    assert.is(await machine.run('pushctl --version'), packageVersion());
    await machine.run('man --where pushctl && test -s /usr/share/bash-completion/completions/pushctl');
    assert.is(await machine.run('stat -c "%U %a" /etc/pushctl/pushctl.toml'), 'root 600');
  }),
);

withPackage(
  'An upgrade to a newer version keeps configuration, data and what waits to be sent, asks nothing, and runs it',
  () =>
    withHost({ packages: folder, install: `${LIKE_A_REAL_ONE}; ${INSTALL}` }, async (host) => {
      const { machine, post, arrived, property } = host;
      const pid = await property('MainPID');
      await machine.run('systemctl stop sandbox; echo "# mine" >> /etc/pushctl/pushctl.toml');
      const titles = Array.from({ length: 10 }, (_, place) => `before the upgrade, ${place}`);
      for (const title of titles) await post(title);
      await machine.run(`
      cd /root && dpkg-deb --raw-extract /opt/packages/pushctl_*.deb newer
      sed -i 's/^Version: .*/Version: ${NEWER}/' newer/DEBIAN/control
      rm newer/usr/lib/pushctl/dist/build.json
      sed -i 's/"version": "[^"]*"/"version": "${NEWER}"/' newer/usr/lib/pushctl/package.json
      dpkg-deb --build -Znone newer newer.deb > /dev/null
      ${APT} install ./newer.deb`);
      assert.is(await machine.run('pushctl --version'), NEWER);
      assert.match(await machine.run('pushctl status || true'), `pushctl ${NEWER} runs since`);
      assert.not(pid === (await property('MainPID')));
      assert.is(await machine.run('tail -n 1 /etc/pushctl/pushctl.toml'), '# mine');
      await machine.run('systemctl start sandbox');
      for (const title of titles) await arrived(title);
      // The sandbox has a push a moment before the server has its answer.
      await machine.until('pushctl event list acme > /tmp/events && ! grep -q pending /tmp/events');
    }),
);

withPackage('An upgrade refuses no client if systemd holds the port, and a purge leaves nothing of that', () =>
  withHost({ packages: folder, install: `${LIKE_A_REAL_ONE}; ${INSTALL}` }, async ({ machine, property }) => {
    const { certPem, keyPem } = await makeAuthority(Date.now());
    await machine.run(`
      printf '%s' '${certPem}' > /etc/pushctl/cert.pem; printf '%s' '${keyPem}' > /etc/pushctl/key.pem
      printf '[tls]\\ncert = "cert.pem"\\nkey = "key.pem"\\n' >> /etc/pushctl/pushctl.toml
      pushctl install --port 443`);
    assert.match(await property('StatusText'), 'https://[::]:443');
    const pid = await property('MainPID');
    const outcomes = await knockDuring(machine, async () => {
      await knocked(machine, '200', 20);
      await machine.run(INSTALL);
      await knocked(machine, '200', 20);
    });
    assert.equal(Object.keys(outcomes), ['200'], JSON.stringify(outcomes));
    assert.not(pid === (await property('MainPID')));
    await machine.run(`${APT} purge pushctl`);
    assert.is(
      await machine.run('find /etc/systemd/system -name "pushctl*socket*"; ! systemctl is-active pushctl.socket'),
      'inactive',
    );
  }),
);

withPackage(
  'A downgrade below the schema of the database is refused before anything is stopped, and the way back that it names is one',
  () =>
    withHost({ packages: folder, install: `${LIKE_A_REAL_ONE}; ${INSTALL}` }, async (host) => {
      const { machine, post, arrived, property } = host;
      const older = packageVersion();
      await machine.run('systemctl stop sandbox');
      await post('waited at the upgrade');
      const schema = readMigrations().length;
      await machine.run(`
      cd /root && dpkg-deb --raw-extract /opt/packages/pushctl_*.deb newer
      sed -i 's/^Version: .*/Version: ${NEWER}/' newer/DEBIAN/control
      sed -i 's/-gt ${schema} /-gt ${schema + 1} /' newer/DEBIAN/preinst
      rm newer/usr/lib/pushctl/dist/build.json
      sed -i 's/"version": "[^"]*"/"version": "${NEWER}"/' newer/usr/lib/pushctl/package.json
      echo 'CREATE TABLE newer (id {identity}) {strict};' > newer/usr/lib/pushctl/src/store/schema/${String(schema + 1).padStart(4, '0')}_newer.breaking.sql
      dpkg-deb --build -Znone newer newer.deb > /dev/null
      ${APT} install ./newer.deb`);
      await post('accepted since');
      const pid = await property('MainPID');
      const downgrade = `${APT} install --allow-downgrades /opt/packages/pushctl_*.deb`;
      const output = await machine.run(`! ${downgrade} 2>&1`);
      assert.match(output, `the database needs schema ${schema + 1}, and this version knows schemas up to ${schema}`);
      assert.match(output, '"Back to an earlier version" in /usr/share/doc/pushctl/operations.md');
      assert.is(await property('MainPID'), pid, 'it was not stopped');
      assert.is(await machine.run('pushctl --version'), NEWER);
      assert.match(await machine.run('dpkg --status pushctl'), 'Status: install ok installed');
      await machine.run('pushctl workspace show acme && systemctl is-enabled pushctl');

      // Runs the commands literally.
      const [, steps = ''] =
        /\*\*Back to an earlier version\.\*\*[^`]*```sh\n([^`]*)```/.exec(
          await machine.run('cat /usr/share/doc/pushctl/operations.md'),
        ) ?? [];
      assert.match(steps, 'apt install --allow-downgrades');
      const lines = steps.replaceAll('<old>', String(schema)).replace(/apt install --allow-downgrades .*/, downgrade);
      await machine.run(lines);
      assert.is(await machine.run('pushctl --version'), older);
      await machine.run('systemctl start sandbox && systemctl is-active pushctl');
      await arrived('waited at the upgrade');
      assert.not.match(await machine.run('pushctl event list acme'), 'accepted since');
      assert.match(await machine.run('pushctl doctor || true'), /^ok +data folder/m);
    }),
);

withPackage('A removal keeps configuration and data for a later installation; a purge leaves only the user', () =>
  onDebian(async (machine) => {
    await machine.run('pushctl workspace create acme && test -e /run/pushctl && apt-get -qq remove pushctl');
    await machine.run('! systemctl is-active pushctl');
    assert.is(await machine.run('ls -d /usr/lib/pushctl /run/pushctl 2> /dev/null || true'), '');
    await machine.run(`
      mv /var/lib/pushctl /srv/pushctl && echo 'data_dir = "/srv/pushctl"' >> /etc/pushctl/pushctl.toml
      /opt/pushctl/bin/pushctl install && echo "# mine" >> /etc/pushctl/pushctl.toml`);
    assert.is(await machine.run(FRAGMENT), '/etc/systemd/system/pushctl.service');
    await machine.run(INSTALL);
    assert.match(await machine.run(FRAGMENT), /^(\/usr)?\/lib\/systemd\/system\/pushctl\.service$/);
    assert.is(await machine.run('systemctl is-active pushctl && systemctl is-enabled pushctl'), 'active\nenabled');
    assert.is(await machine.run('command -v pushctl'), '/usr/bin/pushctl');
    assert.match(await machine.run('pushctl workspace list'), 'acme');
    assert.is(await machine.run('tail -n 1 /etc/pushctl/pushctl.toml'), '# mine');
    await machine.run('apt-get -qq purge pushctl');
    const folders = '/etc/pushctl /var/lib/pushctl /usr/lib/pushctl /usr/bin/pushctl /run/pushctl';
    const units = '/lib/systemd/system/pushctl* /etc/systemd/system/pushctl*';
    assert.is(await machine.run(`ls -d ${folders} ${units} 2> /dev/null || true`), '');
    await machine.run('id pushctl');
  }),
);

test.run();

/** With the package installed. */
async function onDebian(test: (machine: Machine) => Promise<void>): Promise<void> {
  const machine = await Machine.boot({ packages: folder });
  try {
    await machine.run(`${LIKE_A_REAL_ONE}; ${INSTALL}`);
    await test(machine);
  } finally {
    await machine.end();
  }
}
