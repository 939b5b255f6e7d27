import type { Config } from '../config/config.ts';
import type { App } from '../http/app.ts';
import type { RunningHttp } from '../http/listeners/listener.ts';
import type { RunningRedirects, StartRedirects } from '../http/listeners/redirects.ts';
import type { RunningSmtp } from '../http/senders/smtp/listener.ts';
import { systemAfter } from '../process/clock.ts';
import type { ServingStore } from '../store/client.ts';
import { databasePath } from '../store/data-folder.ts';
import type { Backups, BackupsDeps } from './backups/backups.ts';
import type { Certificates, openCertificates } from './certificates.ts';
import type { Closers } from './closers.ts';
import type { Metrics } from './metrics.ts';
import type { Observers } from './observers.ts';

/** Optional parts, loaded if used: libraries take some MB each. */

export async function openMetrics({ metrics }: Config): Promise<Metrics | null> {
  if (metrics.listen === null) return null;
  const { Metrics } = await import('./metrics.ts');
  return new Metrics();
}

type CertificateParts = Parameters<typeof openCertificates>[2];

/** Null: certificate files or none. */
export async function openOwnCertificates(config: Config, parts: CertificateParts): Promise<Certificates | null> {
  const acme = config.tls?.acme;
  return acme ? (await import('./certificates.ts')).openCertificates(config, acme, parts) : null;
}

export async function openRedirects(options: StartRedirects): Promise<RunningRedirects> {
  return (await import('../http/listeners/redirects.ts')).startRedirects(options);
}

/** Null: no mail is taken. */
export async function openSmtp(
  { senders: { smtp } }: Config,
  { mail }: App,
  http: RunningHttp,
): Promise<RunningSmtp | null> {
  if (smtp.listen === null && smtp.listenTls === null) return null;
  const { startSmtp } = await import('../http/senders/smtp/listener.ts');
  return startSmtp({ service: mail, listen: smtp.listen, listenTls: smtp.listenTls, pair: http.tlsPair() });
}

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

interface Parts extends Pick<BackupsDeps, 'clock' | 'log' | 'onFailed'> {
  readonly config: Pick<Config, 'backup' | 'dataDir'>;
  readonly store: Pick<ServingStore, 'listWorkspaces' | 'readStatus'>;
}

/** Returns null, and loads nothing, without backups. */
export async function openBackups({ config, store, ...rest }: Parts): Promise<Backups | null> {
  const { backup: settings, dataDir } = config;
  if (settings === null) return null;
  const { Backups } = await import('./backups/backups.ts');
  return new Backups({
    ...rest,
    settings,
    dataDir,
    after: systemAfter,
    hasWorkspace: async () => (await store.listWorkspaces({})).length > 0,
    hasBackup: async () => (await store.readStatus({})).lastBackup !== null,
  });
}
