import type { Logger } from 'pino';
import { CertificateKeeper } from '../acme/keeper.ts';
import { askRenewalInfo } from '../acme/requests.ts';
import { ChallengeAnswers, runOrder } from '../acme/run-order.ts';
import { TlsFolder } from '../acme/state.ts';
import type { AcmeSettings, Config } from '../config/config.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../config/named-file.ts';
import type { OwnTls } from '../http/listeners/listener.ts';
import { pairOf, standIn, type TlsPair } from '../http/listeners/tls-pair.ts';
import type { After, Clock } from '../process/clock.ts';
import type { Finding } from '../process/finding.ts';
import { OperatorProblem } from '../process/problem.ts';

interface CertificatesDeps {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly after: After;
  readonly log: Logger;
  /** Whether port 80 is ours: see `textAt`. */
  readonly hasPort80: boolean;
}

/** Manages the server's own certificate, by ACME. */
export interface Certificates {
  /** The first certificate, and answers to the authority. */
  readonly tls: OwnTls;
  /** Returns the answer to an authority on port 80; null: none. */
  textAt(path: string): string | null;
  findings(): readonly Finding[];
  /** Starts once the authority can reach the server. */
  start(use: (pair: TlsPair) => void): void;
  /** Retries at once after a failure. */
  tryNow(): void;
  /** The wall clock was set. */
  doubtClock(): void;
  stop(): void;
}

/** Reads earlier state. Throws OperatorProblem. */
export async function openCertificates(
  { dataDir, handedOver }: Pick<Config, 'dataDir' | 'handedOver'>,
  settings: AcmeSettings,
  { clock, after, log, hasPort80 }: CertificatesDeps,
): Promise<Certificates> {
  const answers = new ChallengeAnswers();
  const ending = new AbortController();
  const { caFile } = settings;
  const keeper = readable(
    dataDir,
    () =>
      new CertificateKeeper({
        settings,
        ca: caFile === null ? null : readNamedFile(readablePath({ handedOver }, caFile)).toString('utf8'),
        folder: new TlsFolder(dataDir),
        challenges: hasPort80 ? ['http-01', 'tls-alpn-01'] : ['tls-alpn-01'],
        clock,
        after,
        random: Math.random,
        log,
        order: (job) => runOrder(job, answers, ending.signal),
        askRenewalInfo,
      }),
  );
  return {
    tls: {
      pair: keeper.pair === null ? await selfSigned(settings, clock) : pairOf(keeper.pair),
      answerChallenge: (socket, name) => answers.takeTls(socket, name),
    },
    textAt: (path) => answers.contentAt(path),
    findings: () => keeper.findings,
    start: (use) => keeper.start((pair) => use(pairOf(pair))),
    tryNow: () => keeper.tryNow(),
    doubtClock: () => keeper.doubtClock(),
    stop() {
      keeper.stop();
      ending.abort();
    },
  };
}

function readable<T>(dataDir: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { path = `${dataDir}/tls` } = error as NodeJS.ErrnoException;
    throw new OperatorProblem(`tls.acme: ${path} ${whyUnreadable(error)}`);
  }
}

/** Makes a self-signed certificate. The library (some MB) stays unloaded once a certificate exists. */
async function selfSigned({ domains }: AcmeSettings, clock: Pick<Clock, 'wallMs'>): Promise<TlsPair> {
  const { makeSelfSigned } = await import('../acme/certify.ts');
  return standIn(await makeSelfSigned(domains, clock.wallMs()));
}
