import { dirname, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { SYSTEM_CONFIG_FILE } from '../../../config/config.ts';
import { withoutPassword } from '../../../config/database.ts';
import type { Values } from '../../../config/example.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { SetupQuestion } from '../../../providers/provider.ts';
import { PROVIDERS, REQUIRED_SETTINGS } from '../../../providers/table.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../../push.ts';
import { collect, fixedPort } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import type { NewDevice } from '../../init/first-data.ts';
import type { Flags, Prompter } from '../../init/interview.ts';
import { FIRST_PORT } from '../sandbox.ts';

interface InitOptions extends Flags {
  readonly force?: boolean;
  /** The sandbox's first port, or the default. */
  readonly sandbox?: number | true;
}

export function addInit(program: Command, context: CommandContext): void {
  const command = program
    .command('init')
    .description('write a configuration; asks for settings that no option gives, and checks each answer at once')
    .option('--listen <address>', 'address and port of the HTTP server (default: 127.0.0.1:8080)')
    .option('--base-url <url>', 'address at which clients reach the server, ends with /api')
    .option('--tls-cert <file>', 'PEM file with the certificate, if no proxy terminates TLS')
    .option('--tls-key <file>', "PEM file with the certificate's private key")
    .option('--tls-acme-domains <names>', "host names for an automatic certificate (by default from Let's Encrypt)")
    .option('--tls-acme-contact <email>', 'mail address for the certificate authority')
    .option('--tls-acme-directory <url>', 'directory URL of another certificate authority')
    .option('--trusted-proxy <address>', 'address or network of a reverse proxy; may be repeated', collect);
  for (const { setting, option } of PROVIDER_NAMES.flatMap(questionsOf)) {
    command.option(`--${setting.replaceAll(/[._]/g, '-')} ${option[0]}`, option[1]);
  }
  command
    .option('--owner <email>', 'add the first owner, who signs in with the printed link')
    .option('--workspace <slug>', 'workspace of the first owner (default: main)')
    .option('--channel <slug>', 'first channel of the workspace (default: alerts)')
    .option(
      '--sandbox [port]',
      'try pushctl in this folder without accounts: set the providers of `pushctl sandbox`, and give the owner two of its devices',
      fixedPort,
    )
    .option('--force', 'change an existing configuration; a copy of it is kept')
    .examples('sudo pushctl init', INIT_EXAMPLE, 'pushctl init --sandbox --owner ada@example.com')
    .action((options: InitOptions) => init(context, options));
}

function questionsOf(name: ProviderName): readonly SetupQuestion[] {
  const { required, others } = PROVIDERS[name].setup;
  return [required, ...others];
}

const INIT_EXAMPLE = 'pushctl init --apns-key-file AuthKey_ABC123DEFG.p8 --apns-team-id DEF123GHIJ';

async function init(context: CommandContext, options: InitOptions): Promise<void> {
  const { process } = context;
  const { earlierValues, mistakesIn } = await import('../../init/answers.ts');
  const { hasSettings, writeConfig } = await import('../../init/write.ts');
  const { addOwner, askForFirstOwner, canHaveOwner, dataDirOf } = await import('../../init/first-data.ts');
  const { offerTrial } = await import('../../init/trial.ts');
  const isSandbox = options.sandbox !== undefined;
  const file = fileOf(context, isSandbox);
  const canAsk = process.stdin.isTTY && !isSandbox;
  const terminal = canAsk ? createInterface({ input: process.stdin, output: process.stderr }) : null;
  const person = terminal && personAt(terminal, context);
  try {
    const isThere = hasSettings(file);
    const earlier = isThere ? earlierValues(file) : new Map<string, unknown>();
    const { values, isUnchanged, keptIn, devices } = isSandbox
      ? await sandboxAnswers(context, options, { file, earlier, isThere })
      : await personsAnswers(context, options, { file, earlier, isThere, person });
    const mistakes = mistakesIn(values);
    if (mistakes.length > 0) throw new OperatorProblem(['nothing was written', ...mistakes].join('\n  '), 2);
    if (person !== null) await offerTrial(values, person);
    const first = await askForFirstOwner(options, (await canHaveOwner(context, values)) ? null : person);
    const { written, kept } = isUnchanged
      ? { written: values, kept: null }
      : writeConfig(file, values, { wallMs: Date.now(), keptIn });
    const owner = first && (await addOwner(context, file, first, devices));
    const dataDir = dataDirOf(context, written);
    const document = { file, data_dir: dataDir, kept, settings: withoutPasswords(written) };
    context.print({ ...document, owner: owner?.document ?? null }, () =>
      [
        summary(file, dataDir, { written, kept, isUnchanged, port: portOf(options) }),
        ...(owner === null ? [] : ['', owner.text]),
      ].join('\n'),
    );
  } finally {
    terminal?.close();
  }
}

/** Returns the file to write. A trial with the sandbox is never the service's. */
function fileOf({ options, process }: CommandContext, isSandbox: boolean): string {
  const byDefault = process.getuid?.() === 0 && !isSandbox ? SYSTEM_CONFIG_FILE : 'pushctl.toml';
  return resolve(options.config ?? (process.env.PUSHCTL_CONFIG || byDefault));
}

interface Earlier {
  readonly file: string;
  readonly earlier: Values;
  readonly isThere: boolean;
}

interface Answers {
  readonly values: Map<string, unknown>;
  readonly isUnchanged: boolean;
  /** The folder whose keys are not copied; null: all keys are copied. */
  readonly keptIn: string | null;
  readonly devices: readonly NewDevice[];
}

async function personsAnswers(
  context: CommandContext,
  options: InitOptions,
  { file, earlier, isThere, person }: Earlier & { readonly person: Prompter | null },
): Promise<Answers> {
  const { interview } = await import('../../init/interview.ts');
  const { carriedOver } = await import('../../init/answers.ts');
  if (isThere && !options.force) await agreeToChange(file, person);
  const isForService = context.process.getuid?.() === 0 && file === SYSTEM_CONFIG_FILE;
  const values = carriedOver(await interview(options, person, { earlier, isForService }), earlier);
  if (context.options.dataDir !== undefined) values.set('data_dir', resolve(context.options.dataDir));
  return { values, isUnchanged: false, keptIn: null, devices: [] };
}

/** Returns settings whose providers are a sandbox's. A second time, they are the same. */
async function sandboxAnswers(
  context: CommandContext,
  options: InitOptions,
  { file, earlier, isThere }: Earlier,
): Promise<Answers> {
  const { interview } = await import('../../init/interview.ts');
  const { carriedOver } = await import('../../init/answers.ts');
  const { sandboxFolder } = await import('../../data-folder.ts');
  const sandbox = await import('../../init/sandbox.ts');
  sandbox.refuseProviders(options);
  const named = context.options.dataDir ?? (context.process.env.PUSHCTL_DATA_DIR || null);
  const inFile = String(earlier.get('data_dir') ?? 'data');
  const dataDir = named === null ? resolve(dirname(file), inFile) : resolve(named);
  if (isThere && !options.force && !sandbox.isForSandbox(earlier, dataDir)) await agreeToChange(file, null);
  const answers = carriedOver(await interview(options, null, { earlier, isForService: false }), earlier);
  const firstPort = portOf(options) ?? FIRST_PORT;
  await sandbox.refuseTakenPorts(answers, earlier, firstPort);
  const values = await sandbox.withSandbox(answers, dataDir, firstPort);
  return {
    values,
    isUnchanged: isThere && sandbox.isSame(earlier, values),
    keptIn: sandboxFolder(dataDir),
    devices: sandbox.sandboxDevices(),
  };
}

/** Returns the sandbox's first port; null: none. */
function portOf({ sandbox }: InitOptions): number | null {
  if (sandbox === undefined) return null;
  return sandbox === true ? FIRST_PORT : sandbox;
}

/** Removes passwords, since an earlier configuration may contain the password of a database. */
function withoutPasswords(written: Values): Readonly<Record<string, unknown>> {
  const entries = [...written].map(([path, value]) => [
    path,
    typeof value === 'string' ? withoutPassword(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function personAt(terminal: Interface, context: CommandContext): Prompter {
  return {
    async ask(question, byDefault) {
      try {
        return await terminal.question(byDefault === '' ? `${question}: ` : `${question} [${byDefault}]: `);
      } catch {
        // Ctrl-C or Ctrl-D.
        throw new OperatorProblem('nothing was written');
      }
    },
    show: (text) => context.note(text),
  };
}

async function agreeToChange(file: string, person: Prompter | null): Promise<void> {
  const problem = new OperatorProblem(
    `${file} exists already and was not changed. To change it, pass --force: other settings stay, and a copy of the file is kept.`,
  );
  if (person === null) throw problem;
  const answer = await person.ask(`${file} exists already. Change it? A copy is kept (yes or no)`, 'no');
  if (answer.trim() !== 'yes') throw problem;
}

interface Outcome {
  readonly written: Values;
  readonly kept: string | null;
  readonly isUnchanged: boolean;
  /** The sandbox's first port; null: none. */
  readonly port: number | null;
}

function summary(file: string, dataDir: string, { written, kept, isUnchanged, port }: Outcome): string {
  const hasProvider = REQUIRED_SETTINGS.some((setting) => written.has(setting));
  const sections = PROVIDER_NAMES.map((name) => `[${name}]`).join(' and ');
  return [
    isUnchanged ? `${file} has these settings already.` : `Wrote ${file}. Only its owner can read it.`,
    `The data folder is ${dataDir}.`,
    ...(kept === null ? [] : [`The previous file is kept as ${kept}.`]),
    ...(hasProvider ? [] : [`No provider is set, so no device gets pushes yet. See ${sections} in the file.`]),
    'Next:',
    ...nextSteps(file, port).map((line) => `  ${line}`),
  ].join('\n');
}

function nextSteps(file: string, port: number | null): readonly string[] {
  if (port !== null) {
    const at = port === FIRST_PORT ? '' : ` --port ${port}`;
    return [
      `pushctl --config ${file} sandbox${at}   (stays up, in a terminal of its own)`,
      `pushctl --config ${file} serve`,
    ];
  }
  if (file !== SYSTEM_CONFIG_FILE) return [`pushctl --config ${file} serve`, `pushctl --config ${file} doctor`];
  return ['sudo systemctl restart pushctl   (if it is not a service yet: sudo pushctl install)', 'sudo pushctl doctor'];
}
