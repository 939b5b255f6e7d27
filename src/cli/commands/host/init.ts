import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { SYSTEM_CONFIG_FILE } from '../../../config/config.ts';
import { withoutPassword } from '../../../config/database.ts';
import type { Values } from '../../../config/example.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { SetupQuestion } from '../../../providers/provider.ts';
import { PROVIDERS, REQUIRED_SETTINGS } from '../../../providers/table.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../../push.ts';
import { collect } from '../../arguments.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import type { Flags, Prompter } from '../../init/interview.ts';

interface InitOptions extends Flags {
  readonly force?: boolean;
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
    .option('--force', 'change an existing configuration; a copy of it is kept')
    .examples('sudo pushctl init', INIT_EXAMPLE)
    .action((options: InitOptions) => init(context, options));
}

function questionsOf(name: ProviderName): readonly SetupQuestion[] {
  const { required, others } = PROVIDERS[name].setup;
  return [required, ...others];
}

const INIT_EXAMPLE = 'pushctl init --apns-key-file AuthKey_ABC123DEFG.p8 --apns-team-id DEF123GHIJ';

async function init(context: CommandContext, options: InitOptions): Promise<void> {
  const { process } = context;
  const { interview } = await import('../../init/interview.ts');
  const { mistakesIn } = await import('../../init/answers.ts');
  const { hasSettings, writeConfig } = await import('../../init/write.ts');
  const { carriedOver, earlierValues } = await import('../../init/existing-values.ts');
  const { askForFirstOwner } = await import('../../init/first-owner.ts');
  const { addOwner, dataDirOf, mayHaveOwner } = await import('../../init/first-data.ts');
  const { offerTrial } = await import('../../init/trial.ts');
  const isRoot = process.getuid?.() === 0;
  const file = resolve(
    context.options.config ?? (process.env.PUSHCTL_CONFIG || (isRoot ? SYSTEM_CONFIG_FILE : 'pushctl.toml')),
  );
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stderr }) : null;
  const person = terminal && personAt(terminal, context);
  try {
    const isThere = hasSettings(file);
    if (isThere && !options.force) await agreeToChange(file, person);
    const earlier = isThere ? earlierValues(file) : new Map<string, unknown>();
    const isForService = isRoot && file === SYSTEM_CONFIG_FILE;
    const values = carriedOver(await interview(options, person, { earlier, isForService }), earlier);
    if (context.options.dataDir !== undefined) values.set('data_dir', resolve(context.options.dataDir));
    const mistakes = mistakesIn(values);
    if (mistakes.length > 0) throw new OperatorProblem(['nothing was written', ...mistakes].join('\n  '), 2);
    if (person !== null) await offerTrial(values, person);
    const first = await askForFirstOwner(options, (await mayHaveOwner(context, values)) ? null : person);
    const { written, kept } = writeConfig(file, values, Date.now());
    const owner = first && (await addOwner(context, file, first));
    const dataDir = dataDirOf(context, written);
    const document = { file, data_dir: dataDir, kept, settings: withoutPasswords(written) };
    context.print({ ...document, owner: owner?.document ?? null }, () =>
      [summary(file, dataDir, written, kept), ...(owner === null ? [] : ['', owner.text])].join('\n'),
    );
  } finally {
    terminal?.close();
  }
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

function summary(file: string, dataDir: string, written: Values, kept: string | null): string {
  const hasProvider = REQUIRED_SETTINGS.some((setting) => written.has(setting));
  const sections = PROVIDER_NAMES.map((name) => `[${name}]`).join(' and ');
  const next =
    file === SYSTEM_CONFIG_FILE
      ? ['sudo systemctl restart pushctl   (if it is not a service yet: sudo pushctl install)', 'sudo pushctl doctor']
      : [`pushctl --config ${file} serve`, `pushctl --config ${file} doctor`];
  return [
    `Wrote ${file}. Only its owner can read it.`,
    `The data folder is ${dataDir}.`,
    ...(kept === null ? [] : [`The previous file is kept as ${kept}.`]),
    ...(hasProvider ? [] : [`No provider is set, so no device gets pushes yet. See ${sections} in the file.`]),
    'Next:',
    ...next.map((line) => `  ${line}`),
  ].join('\n');
}
