import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Config } from '../../../config/config.ts';
import { actAsOwnerOf } from '../../../files/act-as-owner.ts';
import { databasePath } from '../../../store/sqlite/files/folder.ts';
import type { Upgrade, UpgradePlan } from '../../../store/sqlite/files/upgrade.ts';
import { examples } from '../../arguments.ts';
import type { CommandContext } from '../../context.ts';
import { size } from '../../output/table.ts';

export function addMigrate(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this version, as `serve` does at its start')
    .option('--dry-run', 'only tell what would be done')
    .addHelpText('after', examples('pushctl migrate --dry-run'))
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => {
      const config = await context.config();
      const { onData } = await import('../../data-folder.ts');
      await onData(context, config, () => (dryRun ? plan(context, config) : run(context, config)));
    });
}

async function plan(context: CommandContext, { dataDir }: Config): Promise<void> {
  const { planUpgrade } = await import('../../../store/sqlite/files/upgrade.ts');
  const planned = planUpgrade(dataDir);
  context.print({ plan: planned }, () => describe(planned));
}

function describe({ schema, target, migrations, backup, bytes }: UpgradePlan): string {
  if (migrations.length === 0) return `The database has schema ${schema}, which is this version's. Nothing to do.`;
  const steps = migrations.map((file) => `  ${file}`);
  const copy = backup === null ? [] : [`The database (${size(bytes)}) would first be copied to ${backup}.`];
  return [`From schema ${schema} to ${target}:`, ...steps, ...copy, 'Nothing was changed.'].join('\n');
}

async function run(context: CommandContext, config: Config): Promise<void> {
  const { ownStore } = await import('../../../store/sqlite/engine.ts');
  const { storeSettings } = await import('../../../store/settings.ts');
  const { noDatabase } = await import('../../../store/sqlite/database.ts');
  using _ = actAsOwnerOf(config.dataDir);
  const path = databasePath(config.dataDir);
  if (!existsSync(path)) throw noDatabase(path);
  const store = ownStore({ dataDir: config.dataDir, settings: storeSettings(config) });
  await store.close();
  const { upgraded } = store;
  context.print({ upgraded }, () => tell(upgraded));
}

function tell(upgraded: Upgrade | null): string {
  if (upgraded === null) return "The database has this version's schema.";
  return `Brought from schema ${upgraded.from} to ${upgraded.to}. The database from before is kept as ${upgraded.backup}.`;
}
