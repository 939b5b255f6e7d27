import type { Config } from '../config/config.ts';
import type { App } from '../http/app.ts';
import type { RunningHttp } from '../http/listeners/listener.ts';
import { databasePath } from '../store/data-folder.ts';
import type { ServingStore } from '../store/serving-store.ts';
import type { Backups } from './backups/backups.ts';
import type { Closers } from './closers.ts';
import type { Metrics } from './metrics.ts';
import type { Observers } from './observers.ts';

interface Measured {
  readonly config: Config;
  readonly store: ServingStore;
  readonly version: string;
  readonly app: App;
  readonly http: RunningHttp;
  readonly backups: Backups | null;
  readonly observers: Observers;
  readonly opened: Closers;
}

/** Returns where Prometheus asks; null: nowhere. */
export async function serveMetrics(metrics: Metrics | null, parts: Measured): Promise<string | null> {
  const { config, store, version, app, http, backups, observers, opened } = parts;
  if (metrics === null || config.metrics.listen === null) return null;
  let living: number | null = null;
  store.others?.onLiving((count) => {
    living = count;
  });
  metrics.gauge({
    store,
    databaseFile: config.store === null ? databasePath(config.dataDir) : null,
    livingNodes: () => living,
    version,
    certificateEndsAtMs: () => http.certificateEndsAtMs(),
    openStreams: () => app.streams.count,
    findings: observers.findings,
    lastBackupBytes: () => backups?.lastBytes() ?? null,
    stillMs: () => observers.watch.stillMs(),
    ...observers.sending,
  });
  const listener = await metrics.listen(config.metrics.listen);
  opened.add(() => listener.close());
  return listener.url;
}
