import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { startSandbox, toToml } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

onAMachine('The five steps of README, on a bare machine, end with a push and an open alert', async () => {
  const machine = await Machine.boot();
  try {
    const { settings, tokens } = await startSandbox(machine);
    const [install = ''] = /^sudo bin\/pushctl install$/m.exec(readme()) ?? [];
    const [init = '', start = '', keyAndInsist = '', send = ''] = steps();
    await machine.run(asRoot(`cd /opt/pushctl; ${install}`));
    assert.match(await machine.run(asRoot(`${init} 2>&1`)), '#pair=');
    // The sandbox stands for Apple and Google, so its keys are the answers that `init` would ask for.
    await machine.run(`cat >> /etc/pushctl/pushctl.toml <<'EOT'\n${toToml(settings)}\nEOT`);
    await machine.run(asRoot(start));
    // Stands for the third step, in which a person opens a link.
    const device = `--platform ios --token ${tokens.ios_production} --subscribe alerts`;
    await machine.run(`pushctl device add acme ada@example.com ${device}`);
    const [key = ''] = /pctl_\w+/.exec(await machine.run(asRoot(keyAndInsist))) ?? [];
    await machine.run(asRoot(send.replace('pctl_…', key)));
    await machine.until(`journalctl -b -u sandbox -o cat | grep -q '"title":"Disk full"'`);
    assert.match(await machine.run('pushctl alert list acme'), /open.*Disk full/);
  } finally {
    await machine.end();
  }
});

test.run();

function readme(): string {
  return readFileSync(packagePath('README.md'), 'utf8');
}

/** Returns the commands of each step that has some. */
function steps(): readonly string[] {
  const [, section = ''] = /^## A real push in five steps$(.*?)^## /ms.exec(readme()) ?? [];
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block.trim());
}

/** The shell of the machine is root's, and may have no sudo. */
function asRoot(commands: string): string {
  return `sudo() { "$@"; }; ${commands}`;
}
