import type { Config } from '../../config/config.ts';
import { systemAfter } from '../../process/clock.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import type { Backups, BackupsDeps } from './backups.ts';

interface Parts extends Pick<BackupsDeps, 'clock' | 'log' | 'onFailed'> {
  readonly config: Pick<Config, 'backup' | 'dataDir'>;
  readonly store: Pick<ServingStore, 'listWorkspaces' | 'readStatus'>;
}

/** Returns null, and loads nothing, without backups. */
export async function openBackups({ config, store, ...rest }: Parts): Promise<Backups | null> {
  const { backup: settings, dataDir } = config;
  if (settings === null) return null;
  const { Backups } = await import('./backups.ts');
  return new Backups({
    ...rest,
    settings,
    dataDir,
    after: systemAfter,
    hasWorkspace: async () => (await store.listWorkspaces({})).length > 0,
    hasBackup: async () => (await store.readStatus({})).lastBackup !== null,
  });
}
