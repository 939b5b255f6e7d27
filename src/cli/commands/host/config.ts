import { type Config, configuredRoutes } from '../../../config/config.ts';
import { withoutPassword } from '../../../config/database.ts';
import type { Difference, showSettings } from '../../../config/show.ts';
import { systemClock } from '../../../process/clock.ts';
import type { Finding } from '../../../process/finding.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { isJsonObject, snakeCase } from '../../../values/json.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { failWhere, findingLines } from '../../output/finding-lines.ts';
import { fields, show, table } from '../../output/table.ts';

export function addConfig(program: Command, context: CommandContext): void {
  const config = program
    .command('config')
    .description('the configuration: one TOML file, overridden by the environment')
    .examples('pushctl config check');

  config
    .command('check')
    .description(
      'check the configuration and the files that it names, report every mistake, and show how it differs from the configuration of the running server',
    )
    .examples('pushctl config check', 'pushctl --config ./pushctl.toml config check --json')
    .action(async () => {
      const { examineConfig } = await import('../../../host/doctor/gather.ts');
      const loaded = await loadOrRefuse(context);
      const findings = examineConfig({ ...loaded, clock: systemClock() });
      const { handedOver: _, ...config } = loaded.config;
      await noteOnService(context, loaded.file, 'config check');
      const running = await comparedWith(loaded.config);
      const document = { ...(snakeCased({ ...loaded, config, findings }) as object), running };
      context.print(document, () => `${summary(context, loaded, findings)}\n\n${comparison(context, running)}`);
      failWhere(context, findings);
    });

  config
    .command('show')
    .description('show every setting with its value and its source: a default, the file, or the environment')
    .examples('pushctl config show', 'pushctl config show --json | jq .settings')
    .action(async () => {
      const { showSettings } = await import('../../../config/show.ts');
      const shown = showSettings(context.sources());
      await noteOnService(context, shown.file, 'config show');
      context.print(shown, () => listOf(context, shown));
    });
}

/** Throws a `BrokenConfig` that also says whether a server runs with an earlier configuration. */
async function loadOrRefuse(context: CommandContext): Promise<Loaded> {
  const { BrokenConfig, loadConfigFrom } = await import('../../../config/load.ts');
  const { alsoUnanswered, askForConfig, STILL } = await import('../../loaded.ts');
  try {
    return loadConfigFrom(context.sources());
  } catch (error) {
    if (!(error instanceof BrokenConfig) || error.dataDir.isGuess) throw error;
    const { mistakes, exitCode, code, dataDir } = error;
    const running = await askForConfig(dataDir.path);
    if (running === null) throw error;
    if (!isConfig(running)) throw alsoUnanswered(error, running);
    throw new OperatorProblem(`${mistakes}\n  ${STILL} (${dataDir.path})`, exitCode, { code });
  }
}

interface Compared {
  /** Why the server was not asked; null: it was. */
  readonly unknown: string | null;
  readonly differences: readonly Difference[];
}

/** Compares with the folder's server; null: none runs. */
async function comparedWith(config: Config): Promise<Compared | null> {
  const { askForConfig } = await import('../../loaded.ts');
  const { differencesOf } = await import('../../../config/show.ts');
  const running = await askForConfig(config.dataDir);
  if (running === null) return null;
  if (!isConfig(running)) return { unknown: running.message, differences: [] };
  return { unknown: null, differences: differencesOf(running, config) };
}

function isConfig(asked: Config | OperatorProblem | null): asked is Config {
  return asked !== null && !(asked instanceof OperatorProblem);
}

function comparison(context: CommandContext, compared: Compared | null): string {
  if (compared === null) return 'No server runs on this data folder, so nothing is compared.';
  if (compared.unknown !== null) return `The running server cannot be asked for its configuration: ${compared.unknown}`;
  if (compared.differences.length === 0) return 'The running server has the same configuration.';
  const shown = (value: unknown) => (value === null ? 'not set' : textOf(value));
  const rows = compared.differences.map(({ setting, running, file }) => [setting, shown(running), shown(file)]);
  const head = 'The running server has another configuration. A restart applies this one:';
  return `${head}\n${table(context, ['SETTING', 'RUNNING', 'NOW HERE'], rows, '')}`;
}

/** Notes that without `sudo` these are defaults, not the service's configuration. */
async function noteOnService(context: CommandContext, file: string | null, verb: string): Promise<void> {
  const { isServiceConfigHidden, noteOnHiddenConfig } = await import('../../service-config.ts');
  if (isServiceConfigHidden(context, file)) context.note(noteOnHiddenConfig(verb));
}

interface Loaded {
  readonly config: Config;
  readonly file: string | null;
}

/** Converts names for JSON: `keyFile` to `key_file`. No passwords are in it. */
function snakeCased(value: unknown): unknown {
  if (typeof value === 'string') return withoutPassword(value);
  if (Array.isArray(value)) return value.map(snakeCased);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [snakeCase(name), snakeCased(field)]));
}

function listOf(context: CommandContext, { file, settings }: ReturnType<typeof showSettings>): string {
  const rows = settings.map(({ setting, value, source, from }) => {
    return [setting, textOf(value), from ?? (source === 'unset' ? 'not set' : source)];
  });
  const head = file === null ? 'There is no file.' : `The file is ${show(file)}.`;
  return `${head}\n\n${table(context, ['SETTING', 'VALUE', 'FROM'], rows, '')}`;
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  if (Array.isArray(value)) return value.join(', ');
  return Object.entries(value)
    .map(([name, value]) => `${name} = ${textOf(value)}`)
    .join(', ');
}

function summary(context: CommandContext, { config, file }: Loaded, findings: readonly Finding[]): string {
  const isRight = findings.every(({ status }) => status !== 'fail');
  const shown = fields(context, {
    file: file ?? 'none: environment and defaults',
    listen: `${config.listen.host} port ${config.listen.port}${config.tls === null ? '' : ' (TLS)'}`,
    'data folder': config.dataDir,
    ...(config.store !== null && { database: withoutPassword(config.store.url) }),
    'pushes go by': configuredRoutes(config).join(' ') || 'no provider: no device is targeted',
  });
  const right =
    file === null ? 'No file was read. The environment and the defaults are right.' : 'The configuration is right.';
  const verdict = isRight ? right : 'The settings are right, but the files or addresses in them are not.';
  return `${verdict}\n${shown}\n\n${findingLines(context, findings)}`;
}
