import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { SYSTEM_CONFIG_FILE } from '../../../config/config.ts';
import { type Port, parsePort } from '../../../config/units.ts';
import type { InstallTarget } from '../../../host/install.ts';
import type { Ports } from '../../../host/ports.ts';
import { carryOut, type StepResult } from '../../../host/steps.ts';
import { packagePath, packageVersion } from '../../../process/package.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';

interface TargetOptions {
  readonly root: string;
  readonly dryRun?: boolean;
}

interface InstallOptions extends TargetOptions {
  readonly port?: Port;
  readonly httpPort?: Port;
}

export function addInstall(program: Command, context: CommandContext): void {
  program
    .command('install')
    .description(
      'install or upgrade this pushctl as a systemd service (user, configuration, unit, man page), and start it',
    )
    .option(
      '--port <[address:]port>',
      'port that systemd holds instead of `listen`; may be any port, and clients wait during a restart',
      aPort,
    )
    .option('--http-port <[address:]port>', 'port that systemd holds to redirect browsers to HTTPS', aPort)
    .option('--root <folder>', 'file system of another machine, with pushctl in the same folder', '/')
    .option('--dry-run', 'show the steps, and change nothing')
    .examples('sudo pushctl install', 'sudo pushctl install --port 443 --http-port 80', 'pushctl install --dry-run')
    .action(install);

  program
    .command('uninstall')
    .description('stop and remove the systemd service; configuration and data stay')
    .option('--root <folder>', 'file system of another machine', '/')
    .option('--dry-run', 'show the steps, and change nothing')
    .examples('sudo pushctl uninstall', 'pushctl uninstall --dry-run')
    .action(uninstall);

  async function install(options: InstallOptions): Promise<void> {
    const installation = await prepare(context, options);
    const ports = portsOf(options);
    if (installation.machine.isRunning) await requireUsable(context, ports);
    const { installSteps, UNITS } = await import('../../../host/install.ts');
    const { exampleConfig } = await import('../../../config/example.ts');
    const { manual } = await import('../../manual.ts');
    const { gzipSync } = await import('node:zlib');
    const units = UNITS.map((name) => ({ name, text: readFileSync(packagePath('systemd', name), 'utf8') }));
    const page = gzipSync(`${manual(program, packageVersion())}\n`, { level: 9 });
    const dataDir = await dataDirOf(context, options);
    const texts = { units, config: exampleConfig(), manual: page, dataDir, ports };
    const steps = installSteps(installation, texts);
    report(context, carryOut(steps, options.dryRun ?? false), 'Next: sudo pushctl init, then sudo pushctl doctor');
  }

  async function uninstall(options: TargetOptions): Promise<void> {
    const installation = await prepare(context, options);
    const { uninstallSteps } = await import('../../../host/install.ts');
    const kept = 'Kept: /etc/pushctl, /var/lib/pushctl and the user pushctl';
    report(context, carryOut(uninstallSteps(installation), options.dryRun ?? false), kept);
  }
}

function portsOf({ port: https, httpPort: http }: InstallOptions): Ports {
  return { ...(https && { https }), ...(http && { http }) };
}

function aPort(text: string): Port {
  const port = parsePort(text);
  if (port === null) throw new InvalidArgumentError('Expected a port, such as 443, or an IP address with one.');
  return port;
}

async function prepare({ process }: CommandContext, { root, dryRun }: TargetOptions): Promise<InstallTarget> {
  const isHere = resolve(root) === '/';
  if (isHere && !dryRun && process.getuid?.() !== 0) {
    throw new OperatorProblem('only root may do this', 1, {
      advice: 'run it with sudo, or see its steps with --dry-run',
    });
  }
  const { machineAt } = await import('../../../host/machine.ts');
  return { machine: machineAt(resolve(root)), packageDir: packagePath() };
}

/** Returns the configured data folder; null: no configuration, or mistakes, which are reported later. */
async function dataDirOf({ process }: CommandContext, { root }: TargetOptions): Promise<string | null> {
  if (resolve(root) !== '/' || !existsSync(SYSTEM_CONFIG_FILE)) return null;
  const { loadConfig } = await import('../../../config/load.ts');
  try {
    return loadConfig({ env: {}, file: SYSTEM_CONFIG_FILE, uid: process.getuid?.() }).dataDir;
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return null;
  }
}

/** Checks the configuration before the restart: mistakes would stop the service. */
async function requireUsable({ process }: CommandContext, ports: Ports): Promise<void> {
  const { loadConfig } = await import('../../../config/load.ts');
  const { checkListen, checkNamedFiles, checkPorts } = await import('../../../host/doctor/files.ts');
  const file = existsSync(SYSTEM_CONFIG_FILE) ? SYSTEM_CONFIG_FILE : null;
  const config = loadConfig({ env: {}, file, uid: process.getuid?.() });
  const findings = [
    ...(file === null ? [] : [...checkNamedFiles(config, file), ...checkListen(config, file, ports)]),
    ...checkPorts(config, ports),
  ];
  const wrong = findings.filter(({ status }) => status === 'fail');
  if (wrong.length === 0) return;
  const lines = wrong.map(({ check, message, advice }) => `${check}: ${message}; ${advice}`);
  throw new OperatorProblem(
    [
      `${SYSTEM_CONFIG_FILE} names files or addresses that the service cannot use; nothing was installed`,
      ...lines,
    ].join('\n  '),
  );
}

function report(context: CommandContext, steps: readonly StepResult[], last: string): void {
  const width = Math.max(...steps.map(({ state }) => state.length));
  const lines = steps.map(({ what, state }) => `${state.padEnd(width)}  ${what}`);
  context.print({ steps }, () => [...lines, last].join('\n'));
}
