import { type Config, configuredRoutes } from '../../../config/config.ts';
import { withoutPassword } from '../../../config/database.ts';
import type { showSettings } from '../../../config/show.ts';
import { systemClock } from '../../../process/clock.ts';
import type { Finding } from '../../../process/finding.ts';
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
      'check the configuration and the files that it names, and report every mistake; starts nothing and asks no server',
    )
    .examples('pushctl config check', 'pushctl --config ./pushctl.toml config check --json')
    .action(async () => {
      const { loadConfigFrom } = await import('../../../config/load.ts');
      const { examineConfig } = await import('../../../host/doctor/gather.ts');
      const loaded = loadConfigFrom(context.sources());
      const findings = examineConfig({ ...loaded, clock: systemClock() });
      const { handedOver: _, ...config } = loaded.config;
      await noteOnService(context, loaded.file, 'config check');
      context.print(snakeCased({ ...loaded, config, findings }), () => summary(context, loaded, findings));
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

/** Notes that without `sudo` the command shows the defaults, not the service's configuration. */
async function noteOnService(context: CommandContext, file: string | null, verb: string): Promise<void> {
  const { isServiceConfigHidden, noteOnHiddenConfig } = await import('../../service-config.ts');
  if (isServiceConfigHidden(context, file)) context.note(noteOnHiddenConfig(verb));
}

interface Loaded {
  readonly config: Config;
  readonly file: string | null;
}

/** Converts the names of fields for JSON: `keyFile` becomes `key_file`. The configuration has no passwords. */
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

/** Formats a list with commas, and a table as names with values. */
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
  const verdict = isRight
    ? 'The configuration is right.'
    : 'The settings are right, but the files or addresses in them are not.';
  return `${verdict}\n${shown}\n\n${findingLines(context, findings)}`;
}
