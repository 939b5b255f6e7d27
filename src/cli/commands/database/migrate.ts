import { existsSync } from 'node:fs';
import type { Config } from '../../../config/config.ts';
import { databaseOf } from '../../../config/database.ts';
import { databasePath } from '../../../store/data-folder.ts';
import type { Upgrade, UpgradePlan } from '../../../store/sqlite/files/upgrade.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { size } from '../../output/table.ts';

/** An upgrade's plan. PostgreSQL keeps no copy, so it has no size. */
type Plan = Omit<UpgradePlan, 'bytes'> & { readonly bytes?: number };
type Upgraded = Omit<Upgrade, 'backup'> & { readonly backup: string | null };

export function addMigrate(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('upgrade the database to the schema of this version; servers that cannot use it stop first')
    .option('--dry-run', 'only show the changes')
    .examples('pushctl migrate --dry-run')
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => {
      const config = await context.ownConfig();
      const { onData } = await import('../../data-folder.ts');
      await onData(context, config, () => (dryRun ? plan(context, config) : run(context, config)));
    });
}

async function plan(context: CommandContext, config: Config): Promise<void> {
  const planned = await planOf(config);
  context.print({ plan: planned }, () => describe(planned));
}

async function planOf(config: Config): Promise<Plan> {
  const database = databaseOf(config);
  if (database === null) {
    const { planUpgrade } = await import('../../../store/sqlite/files/upgrade.ts');
    return planUpgrade(config.dataDir);
  }
  const { planUpgrade } = await import('../../../store/postgres/upgrading.ts');
  return { ...(await planUpgrade(database.url)), backup: null };
}

function describe({ schema, target, breaks, migrations, backup, bytes }: Plan): string {
  if (migrations.length === 0) return `The database has schema ${schema}, which is this version's. Nothing to do.`;
  const steps = migrations.map((file) => `  ${file}`);
  const copy =
    backup === null || bytes === undefined ? [] : [`The database (${size(bytes)}) would first be copied to ${backup}.`];
  const breaking = breaks
    ? [`Older versions cannot use schema ${target}. Servers of these versions would stop first.`]
    : [];
  const change = schema === target ? `Functions of schema ${schema}:` : `From schema ${schema} to ${target}:`;
  return [change, ...steps, ...breaking, ...copy, 'Nothing was changed.'].join('\n');
}

async function run(context: CommandContext, config: Config): Promise<void> {
  const upgraded = await upgradeOf(context, config);
  context.print({ upgraded }, () => report(upgraded));
}

async function upgradeOf(context: CommandContext, config: Config): Promise<Upgraded | null> {
  const database = databaseOf(config);
  if (database === null) return upgradeFolder(config);
  const { upgrade } = await import('../../../store/postgres/upgrading.ts');
  const upgraded = await upgrade(database.url, (servers) => {
    const names = servers.map(({ name, version }) => `${name} (${version})`).join(', ');
    context.note(`pushctl: these servers stop, since they cannot use the new schema: ${names}. Waiting for them …`);
  });
  return upgraded && { ...upgraded, backup: null };
}

async function upgradeFolder(config: Config): Promise<Upgrade | null> {
  const { ownStore } = await import('../../../store/sqlite/engine.ts');
  const { storeSettings } = await import('../../../store/settings.ts');
  const { noDatabase, workAsOwnerOf } = await import('../../../store/sqlite/database.ts');
  using _ = workAsOwnerOf(config.dataDir);
  const path = databasePath(config.dataDir);
  if (!existsSync(path)) throw noDatabase(path);
  const store = ownStore({ dataDir: config.dataDir, settings: storeSettings(config) });
  await store.close();
  return store.upgraded;
}

function report(upgraded: Upgraded | null): string {
  if (upgraded === null) return "The database has this version's schema.";
  const { from, to, backup } = upgraded;
  const kept = backup === null ? '' : ` The previous database is kept as ${backup}.`;
  const done = from === to ? `Updated the functions of schema ${to}.` : `Upgraded from schema ${from} to ${to}.`;
  return `${done}${kept}`;
}
