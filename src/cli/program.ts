import { packageVersion } from '../process/package.ts';
import { Command } from './command.ts';
import { addAlert } from './commands/alert.ts';
import { addChannel } from './commands/channel/channel.ts';
import { addCompletion } from './commands/completion.ts';
import { addBackup, addRestore } from './commands/database/backup.ts';
import { addMigrate } from './commands/database/migrate.ts';
import { addMove } from './commands/database/move.ts';
import { addDemo } from './commands/demo.ts';
import { addDevice } from './commands/device/device.ts';
import { addEvent } from './commands/event/event.ts';
import { addHeartbeat } from './commands/heartbeat.ts';
import { addConfig } from './commands/host/config.ts';
import { addDoctor, addNode, addStatus } from './commands/host/health.ts';
import { addInit } from './commands/host/init.ts';
import { addInstall } from './commands/host/install.ts';
import { addCopyCredentials, addLogs, addServe } from './commands/host/service.ts';
import { addKey } from './commands/key.ts';
import { addMaintenance } from './commands/maintenance.ts';
import { addMember } from './commands/member.ts';
import { addQueue } from './commands/queue.ts';
import { addAudit, addExplain, addStats } from './commands/reports.ts';
import { addOnCall, addRota } from './commands/rota.ts';
import { addRoute, addWebPush } from './commands/route.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addSend, addSendmail } from './commands/send.ts';
import { addTail } from './commands/tail.ts';
import { addWebhook } from './commands/webhook.ts';
import { addPlan, addWorkspace } from './commands/workspace.ts';
import { type CommandContext, createContext, type GlobalOptions } from './context.ts';
import { toFailure } from './failure.ts';
import { printable, printableJson } from './output/printable.ts';
import { withShortTimes } from './output/table.ts';

/** The help's groups, with functions that add commands. */
const GROUPS = {
  'Run:': [addServe, addDemo, addSandbox],
  'Set up:': [
    addInit,
    addWorkspace,
    addPlan,
    addChannel,
    addMaintenance,
    addRota,
    addHeartbeat,
    addWebhook,
    addKey,
    addMember,
    addDevice,
    addRoute,
    addWebPush,
    addConfig,
  ],
  'Send and see:': [addSend, addSendmail, addEvent, addAlert, addOnCall, addTail, addStats, addExplain, addAudit],
  'On this machine:': [addStatus, addNode, addDoctor, addLogs, addInstall, addCopyCredentials, addCompletion],
  'Keep:': [addBackup, addRestore, addQueue, addMigrate, addMove],
} as const;

/** Commander wraps no description in fewer columns. Beside our longest command, 80 columns leave 33. */
const MIN_WIDTH_TO_WRAP = 20;

export async function run(process: NodeJS.Process): Promise<void> {
  quietWhenNobodyReads(process);
  try {
    await createProgram(process).parseAsync(process.argv);
  } catch (thrown) {
    const failure = toFailure(thrown);
    if (failure === null) return;
    const { exitCode, text, error } = failure;
    if (text !== null) process.stderr.write(`pushctl: ${printable(withShortTimes(text))}\n`);
    if (error !== null && isJsonWanted(process.argv)) process.stdout.write(`${printableJson({ error })}\n`);
    process.exitCode = exitCode;
  }
}

/** Returns whether `--json` is given, even if parsing failed before. */
function isJsonWanted(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}

export function createProgram(process: NodeJS.Process): Command {
  const program = new Command('pushctl')
    .description('Turns a posted event into native push alerts.')
    .version(versionText(process.argv), versionFlags(process.argv), 'print the version')
    .option('--config <file>', 'the configuration file (also PUSHCTL_CONFIG)')
    .option('--data-dir <folder>', 'the data folder (also PUSHCTL_DATA_DIR)')
    .option('--json', 'print one JSON document instead of text, also for failures')
    .option('--no-color', 'print without colours (also NO_COLOR)')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: MIN_WIDTH_TO_WRAP })
    .configureOutput({
      writeOut: (text) => process.stdout.write(text),
      writeErr: (text) => process.stderr.write(printable(text)),
      outputError: (text, write) => write(`pushctl: ${text.replace(/^error: /, '')}`),
    })
    .showHelpAfterError('See --help for commands and options.')
    .examples('pushctl demo', 'pushctl workspace --help')
    .hook('preAction', () => takeColorsAway(process, program.opts<GlobalOptions>()));
  const context = createContext(process, () => program.opts<GlobalOptions>());

  for (const [group, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(group);
    for (const add of commands) add(program, context);
  }
  addHelp(program);
  addVersion(program, context);
  return program;
}

/** Turns off colours by the variable of `styleText` and Ink. Drawings stay. */
function takeColorsAway({ env }: NodeJS.Process, { color }: GlobalOptions): void {
  if (!color || env.NO_COLOR) env.FORCE_COLOR = '0';
}

/** Returns the version's flags. `pushctl sendmail` has another `-V`; program options count anywhere. */
function versionFlags(argv: readonly string[]): string {
  return argv.includes('sendmail') ? '--version' : '-V, --version';
}

/** Returns the version as text or JSON. Commander prints it before parsing later options. */
function versionText(argv: readonly string[]): string {
  const version = packageVersion();
  return isJsonWanted(argv) ? JSON.stringify({ version }) : version;
}

/** Ignores a pipe that closes early, such as in `pushctl event list | head -1`. */
function quietWhenNobodyReads(process: NodeJS.Process): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(
      `pushctl: cannot write to standard output (${error.code}): free some space, or write elsewhere\n`,
    );
    process.exit(1);
  });
}

/** Adds `help` for whole command paths; commander's reads one word only. */
function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help [command...]')
    .helpGroup('Commands:')
    .description('print the help of a command')
    .examples('pushctl help', 'pushctl help key issue')
    .action((path: readonly string[]) => commandAt(program, path).help());
}

type Parent = ReturnType<Command['createCommand']>;

/** Returns the command of a path. Unknown words are wrong usage. */
function commandAt(program: Command, path: readonly string[]) {
  return path.reduce<Parent>((parent, word) => {
    const found = parent.commands.find((command) => command.name() === word);
    return (found ?? parent.error(`unknown command '${word}'`)) as Parent;
  }, program);
}

function addVersion(program: Command, context: CommandContext): void {
  program
    .command('version')
    .helpGroup('Commands:')
    .description('print the version, with the commit it was built from')
    .examples('pushctl version', 'pushctl version --json')
    .action(() => {
      const version = packageVersion();
      context.print({ version }, () => version);
    });
}
