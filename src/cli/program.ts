import { packageVersion } from '../process/package.ts';
import { Command } from './command.ts';
import { type CommandContext, createContext, type GlobalOptions } from './context.ts';
import { toFailure } from './failure.ts';
import { printable, printableJson } from './output/printable.ts';
import { withShortTimes } from './output/table.ts';

/** The help's groups, with functions that load and add their commands. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, (...to: AddedTo) => Promise<void>>>>> = {
  'Run:': {
    serve: async (...to) => (await import('./commands/host/service.ts')).addServe(...to),
    demo: async (...to) => (await import('./commands/demo.ts')).addDemo(...to),
    sandbox: async (...to) => (await import('./commands/sandbox.ts')).addSandbox(...to),
  },
  'Set up:': {
    init: async (...to) => (await import('./commands/host/init.ts')).addInit(...to),
    workspace: async (...to) => (await import('./commands/workspace.ts')).addWorkspace(...to),
    plan: async (...to) => (await import('./commands/workspace.ts')).addPlan(...to),
    channel: async (...to) => (await import('./commands/channel/channel.ts')).addChannel(...to),
    maintenance: async (...to) => (await import('./commands/maintenance.ts')).addMaintenance(...to),
    rota: async (...to) => (await import('./commands/rota.ts')).addRota(...to),
    heartbeat: async (...to) => (await import('./commands/heartbeat.ts')).addHeartbeat(...to),
    webhook: async (...to) => (await import('./commands/webhook.ts')).addWebhook(...to),
    key: async (...to) => (await import('./commands/key.ts')).addKey(...to),
    member: async (...to) => (await import('./commands/member.ts')).addMember(...to),
    device: async (...to) => (await import('./commands/device/device.ts')).addDevice(...to),
    route: async (...to) => (await import('./commands/route.ts')).addRoute(...to),
    webpush: async (...to) => (await import('./commands/route.ts')).addWebPush(...to),
    config: async (...to) => (await import('./commands/host/config.ts')).addConfig(...to),
  },
  'Send and see:': {
    send: async (...to) => (await import('./commands/send.ts')).addSend(...to),
    sendmail: async (...to) => (await import('./commands/send.ts')).addSendmail(...to),
    event: async (...to) => (await import('./commands/event/event.ts')).addEvent(...to),
    alert: async (...to) => (await import('./commands/alert.ts')).addAlert(...to),
    'on-call': async (...to) => (await import('./commands/rota.ts')).addOnCall(...to),
    tail: async (...to) => (await import('./commands/tail.ts')).addTail(...to),
    stats: async (...to) => (await import('./commands/reports.ts')).addStats(...to),
    explain: async (...to) => (await import('./commands/reports.ts')).addExplain(...to),
    audit: async (...to) => (await import('./commands/reports.ts')).addAudit(...to),
  },
  'On this machine:': {
    status: async (...to) => (await import('./commands/host/health.ts')).addStatus(...to),
    node: async (...to) => (await import('./commands/host/health.ts')).addNode(...to),
    doctor: async (...to) => (await import('./commands/host/health.ts')).addDoctor(...to),
    logs: async (...to) => (await import('./commands/host/service.ts')).addLogs(...to),
    install: async (...to) => (await import('./commands/host/install.ts')).addInstall(...to),
    '__hand-over': async (...to) => (await import('./commands/host/service.ts')).addCopyCredentials(...to),
    completion: async (...to) => (await import('./commands/completion.ts')).addCompletion(...to),
  },
  'Keep:': {
    backup: async (...to) => (await import('./commands/database/backup.ts')).addBackup(...to),
    restore: async (...to) => (await import('./commands/database/backup.ts')).addRestore(...to),
    queue: async (...to) => (await import('./commands/queue.ts')).addQueue(...to),
    migrate: async (...to) => (await import('./commands/database/migrate.ts')).addMigrate(...to),
    move: async (...to) => (await import('./commands/database/move.ts')).addMove(...to),
  },
};
type AddedTo = [program: Command, context: CommandContext];

/** The program's options before a command that take a value. */
const VALUED: readonly string[] = ['--config', '--data-dir'];

/** Commander wraps no description in fewer columns. Beside our longest command, 80 columns leave 33. */
const MIN_WIDTH_TO_WRAP = 20;

export async function run(process: NodeJS.Process): Promise<void> {
  quietWhenNobodyReads(process);
  try {
    const program = await createProgram(process, commandIn(process.argv));
    await program.parseAsync(process.argv);
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

/** Returns the program with all commands. `only`: with this one, to load nothing else. */
export async function createProgram(process: NodeJS.Process, only: string | null = null): Promise<Command> {
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
    for (const [name, add] of Object.entries(commands)) {
      if (only === null || name === only) await add(program, context);
    }
  }
  addHelp(program);
  addVersion(program, context);
  return program;
}

/** Returns the command that the first word names. Null: none of the table, as in `pushctl --help`. */
function commandIn(argv: readonly string[]): string | null {
  const words = argv.slice(2);
  const first = words.find((word, index) => !word.startsWith('-') && !VALUED.includes(words[index - 1] ?? '')) ?? '';
  return Object.values(GROUPS).some((commands) => Object.hasOwn(commands, first)) ? first : null;
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
