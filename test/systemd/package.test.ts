import { existsSync } from 'node:fs';
import { arch } from 'node:process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath, packageVersion } from '../../src/package.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const PACKAGE = `dist-deb/pushctl_${packageVersion()}_${arch === 'x64' ? 'amd64' : arch}.deb`;
const INSTALL = `cd /opt/pushctl && DEBIAN_FRONTEND=noninteractive apt-get -qq install --reinstall ./${PACKAGE}`;

const obstacle = existsSync(packagePath(PACKAGE)) ? Machine.obstacle() : `needs ${PACKAGE}: npm run package:deb`;
const withPackage = skipWhere(obstacle, test);

withPackage('Installing the package gives a running, enabled service, and pushctl with its man page on the PATH', () =>
  onDebian(async (machine) => {
    assert.is(await machine.run('systemctl is-active pushctl && systemctl is-enabled pushctl'), 'active\nenabled');
    assert.is(await machine.run('pushctl --version'), packageVersion());
    await machine.run('man --where pushctl && test -s /usr/share/bash-completion/completions/pushctl');
    assert.is(await machine.run('stat -c "%U %a" /etc/pushctl/pushctl.toml'), 'root 600');
  }),
);

withPackage('An upgrade keeps configuration and data, asks nothing, and starts the service anew', () =>
  onDebian(async (machine) => {
    await machine.run('pushctl workspace create acme && echo "# mine" >> /etc/pushctl/pushctl.toml');
    const pid = await machine.run('systemctl show --value --property MainPID pushctl');
    await machine.run(INSTALL);
    assert.not(pid === (await machine.run('systemctl show --value --property MainPID pushctl')));
    assert.is(await machine.run('systemctl is-active pushctl'), 'active');
    assert.match(await machine.run('pushctl workspace list'), 'acme');
    assert.is(await machine.run('tail -n 1 /etc/pushctl/pushctl.toml'), '# mine');
  }),
);

withPackage('A removal keeps configuration and data, and an installation after it goes on with them', () =>
  onDebian(async (machine) => {
    await machine.run('pushctl workspace create acme && apt-get -qq remove pushctl');
    await machine.run('! systemctl is-active pushctl && ! test -e /usr/lib/pushctl');
    await machine.run(INSTALL);
    assert.match(await machine.run('pushctl workspace list'), 'acme');
  }),
);

withPackage('A purge leaves nothing but the user', () =>
  onDebian(async (machine) => {
    await machine.run('apt-get -qq purge pushctl');
    await machine.run(
      '! ls -d /etc/pushctl /var/lib/pushctl /usr/lib/pushctl /usr/bin/pushctl /lib/systemd/system/pushctl*',
    );
    await machine.run('id pushctl');
  }),
);

test.run();

/** With the package installed. Machine images may forbid packages to start services; a real one does not. */
async function onDebian(test: (machine: Machine) => Promise<void>): Promise<void> {
  const machine = await Machine.boot();
  try {
    await machine.run(`rm -f /usr/sbin/policy-rc.d && ${INSTALL}`);
    await test(machine);
  } finally {
    await machine.end();
  }
}
