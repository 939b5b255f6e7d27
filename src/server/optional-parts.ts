/** Optional parts, loaded if used: libraries take some MB each. */
import type { Config } from '../config/config.ts';
import type { App } from '../http/app.ts';
import type { RunningHttp } from '../http/listeners/listener.ts';
import type { RunningRedirects, StartRedirects } from '../http/listeners/redirects.ts';
import type { RunningSmtp } from '../http/senders/smtp/listener.ts';
import type { Certificates, openCertificates } from './certificates.ts';
import type { Metrics } from './metrics.ts';

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
