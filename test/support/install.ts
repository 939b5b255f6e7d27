import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type InstalledTexts, installSteps, uninstallSteps } from '../../src/host/install.ts';
import type { Machine } from '../../src/host/machine.ts';
import { carryOut } from '../../src/host/steps.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import { temporaryFolder } from './folder.ts';

export const TEXTS = {
  units: [
    { name: 'pushctl.service', text: '[Service]\nExecStart=/usr/bin/pushctl serve\n' },
    { name: 'pushctl-credentials.service', text: '[Service]\nExecStart=/usr/bin/pushctl __hand-over /run/pushctl\n' },
    { name: 'pushctl-credentials.timer', text: '[Timer]\n' },
    { name: 'pushctl.socket', text: '[Socket]\n' },
    { name: 'pushctl-http.socket', text: '[Socket]\n' },
  ],
  config: '# every setting\n',
  manual: Buffer.from('.TH PUSHCTL 1'),
};
export const UNIT = 'etc/systemd/system/pushctl.service';
export const HELPER = 'etc/systemd/system/pushctl-credentials.service';
export const CONFIG = 'etc/pushctl/pushctl.toml';
export const LINK = 'usr/local/bin/pushctl';
export const MAN_PAGE = 'usr/local/share/man/man1/pushctl.1.gz';

/** A machine that is a folder. It has pushctl in /opt, and writes down which tools were run. */
export function aMachine({ isRunning = false, dataDir = null }: { isRunning?: boolean; dataDir?: string | null } = {}) {
  let isStopped = true;
  const root = temporaryFolder();
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0\n');
  mkdirSync(join(root, 'opt/pushctl'), { recursive: true });
  for (const folder of ['opt', 'opt/pushctl']) chmodSync(join(root, folder), 0o755);
  const ran: string[] = [];
  const machine: Machine = {
    isRunning,
    isStopped: () => isStopped,
    path: (file) => join(root, file),
    systemctl(...args) {
      ran.push(['systemctl', ...args].join(' '));
      if (args[0] === 'restart' || args[0] === 'start') isStopped = false;
      const unit = args.at(-1) ?? '';
      if (!unit.endsWith('.socket')) return;
      const link = join(root, 'etc/systemd/system/sockets.target.wants', unit);
      if (args[0] === 'disable') rmSync(link);
      mkdirSync(dirname(link), { recursive: true });
      if (args[0] === 'enable') symlinkSync(`../${unit}`, link);
    },
    sysusers(...args) {
      ran.push(['sysusers', ...args].join(' '));
      const [uid, gid] = [process.getuid?.(), process.getgid?.()];
      writeFileSync(join(root, 'etc/passwd'), `root:x:0:0\npushctl:x:${uid}:${gid}::/var/lib/pushctl:\n`);
      writeFileSync(join(root, 'etc/group'), `pushctl:x:${gid}:\npushctl-keys:x:994:\n`);
    },
  };
  const installFrom = (packageDir: string, isDryRun = false, ports: InstalledTexts['ports'] = {}) =>
    carryOut(installSteps({ machine, packageDir }, { ...TEXTS, dataDir, ports }), isDryRun);
  return {
    root,
    ran,
    stop() {
      isStopped = true;
    },
    installFrom,
    install: (isDryRun = false) => installFrom('/opt/pushctl', isDryRun),
    installOn: (ports: InstalledTexts['ports']) => installFrom('/opt/pushctl', false, ports),
    uninstall: (packageDir = '/opt/pushctl') => carryOut(uninstallSteps({ machine, packageDir }), false),
  };
}

export function isProblem(error: unknown, message: RegExp): boolean {
  return error instanceof OperatorProblem && message.test(error.message);
}
