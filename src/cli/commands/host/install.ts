import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SYSTEM_CONFIG_FILE } from '../../../config/config.ts';
import type { InstallTarget } from '../../../host/install.ts';
import type { StepResult } from '../../../host/steps.ts';
import { packagePath, packageVersion } from '../../../package.ts';
import { OperatorProblem } from '../../../problem.ts';
import { examples } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';

interface InstallOptions {
  readonly root: string;
  readonly dryRun?: boolean;
}

export function addInstall(program: Command, context: CommandContext): void {
  program
    .command('install')
    .description(
      'make a systemd service of this pushctl, or of its new version: user, configuration, unit, man page; start it',
    )
    .option('--root <folder>', 'the file system of another machine, which has pushctl in the same place', '/')
    .option('--dry-run', 'say what would be done, and do nothing')
    .addHelpText('after', examples('sudo pushctl install', 'pushctl install --dry-run'))
    .action(install);

  program
    .command('uninstall')
    .description('stop the systemd service and take it away; configuration and data stay')
    .option('--root <folder>', 'the file system of another machine', '/')
    .option('--dry-run', 'say what would be done, and do nothing')
    .addHelpText('after', examples('sudo pushctl uninstall', 'pushctl uninstall --dry-run'))
    .action(uninstall);

  async function install(options: InstallOptions): Promise<void> {
    const installation = await prepare(context, options);
    if (installation.machine.isRunning) await requireUsable(context);
    const [{ installSteps, UNITS }, { carryOut }, { exampleConfig }, { manual }, { readFile }, { gzipSync }] =
      await Promise.all([
        import('../../../host/install.ts'),
        import('../../../host/steps.ts'),
        import('../../../config/example.ts'),
        import('../../manual.ts'),
        import('node:fs/promises'),
        import('node:zlib'),
      ]);
    const unit = async (name: string) => ({ name, text: await readFile(packagePath('systemd', name), 'utf8') });
    const units = await Promise.all(UNITS.map(unit));
    const page = gzipSync(`${manual(program, packageVersion())}\n`, { level: 9 });
    const texts = { units, config: exampleConfig(), manual: page, dataDir: await dataDirOf(context, options) };
    const steps = installSteps(installation, texts);
    tell(context, carryOut(steps, options.dryRun ?? false), 'Next: sudo pushctl init, then sudo pushctl doctor');
  }

  async function uninstall(options: InstallOptions): Promise<void> {
    const installation = await prepare(context, options);
    const [{ uninstallSteps }, { carryOut }] = await Promise.all([
      import('../../../host/install.ts'),
      import('../../../host/steps.ts'),
    ]);
    const kept = 'Kept: /etc/pushctl, /var/lib/pushctl and the user pushctl';
    tell(context, carryOut(uninstallSteps(installation), options.dryRun ?? false), kept);
  }
}

async function prepare({ process }: CommandContext, { root, dryRun }: InstallOptions): Promise<InstallTarget> {
  const isHere = resolve(root) === '/';
  if (isHere && !dryRun && process.getuid?.() !== 0) {
    throw new OperatorProblem('only root may do this', 1, {
      advice: 'put sudo before it, or look at what it does with --dry-run',
    });
  }
  const { machineAt } = await import('../../../host/machine.ts');
  return { machine: machineAt(resolve(root)), packageDir: packagePath() };
}

/** The data folder in the configuration of this machine; null: there is none, or mistakes, which are reported later. */
async function dataDirOf({ process }: CommandContext, { root }: InstallOptions): Promise<string | null> {
  const { existsSync } = await import('node:fs');
  if (resolve(root) !== '/' || !existsSync(SYSTEM_CONFIG_FILE)) return null;
  const { loadConfig } = await import('../../../config/load.ts');
  try {
    return loadConfig({ env: {}, file: SYSTEM_CONFIG_FILE, uid: process.getuid?.() }).dataDir;
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return null;
  }
}

/** A service that runs is not started anew with a configuration that would keep it from starting, or from sending. */
async function requireUsable({ process }: CommandContext): Promise<void> {
  const [{ existsSync }, { loadConfig }, { checkListen, checkNamedFiles }] = await Promise.all([
    import('node:fs'),
    import('../../../config/load.ts'),
    import('../../../host/doctor/files.ts'),
  ]);
  const file = SYSTEM_CONFIG_FILE;
  if (!existsSync(file)) return;
  const config = loadConfig({ env: {}, file, uid: process.getuid?.() });
  const findings = [...checkNamedFiles(config, file), ...checkListen(config, file)];
  const wrong = findings.filter(({ status }) => status === 'fail');
  if (wrong.length === 0) return;
  const lines = wrong.map(({ check, message, advice }) => `${check}: ${message}; ${advice}`);
  throw new OperatorProblem(
    [`${file} names what the service cannot use; nothing was installed`, ...lines].join('\n  '),
  );
}

function tell(context: CommandContext, steps: readonly StepResult[], last: string): void {
  const width = Math.max(...steps.map(({ state }) => state.length));
  const lines = steps.map(({ what, state }) => `${state.padEnd(width)}  ${what}`);
  context.print({ steps }, () => [...lines, last].join('\n'));
}
