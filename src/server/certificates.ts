import type { Logger } from 'pino';
import { ChallengeAnswers } from '../acme/challenge-answers.ts';
import { CertificateKeeper } from '../acme/keeper.ts';
import { askRenewalInfo } from '../acme/renewal-info.ts';
import { runOrder } from '../acme/run-order.ts';
import { TlsFolder } from '../acme/state.ts';
import type { AcmeSettings, Config } from '../config/config.ts';
import { readablePath, readNamedFile, whyUnreadable } from '../config/named-file.ts';
import type { OwnTls } from '../http/listeners/listener.ts';
import { pairOf, standIn, type TlsPair } from '../http/listeners/tls-pair.ts';
import type { After, Clock } from '../process/clock.ts';
import type { Finding } from '../process/finding.ts';
import { OperatorProblem } from '../process/problem.ts';

export interface CertificatesDeps {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly after: After;
  readonly log: Logger;
  /** Whether what is asked for on port 80 comes here: see `textAt`. */
  readonly hasPort80: boolean;
}

/** The certificate of a server that gets its own, by ACME. */
export interface Certificates {
  /** The listener's first certificate, and its answers to the authority. */
  readonly tls: OwnTls;
  /** Returns the answer on port 80 to an authority; null: none. */
  textAt(path: string): string | null;
  findings(): readonly Finding[];
  /** Once the authority can reach the server. */
  start(use: (pair: TlsPair) => void): void;
  /** Asks again at once where the last try failed. */
  tryNow(): void;
  /** The wall clock was set. */
  doubtClock(): void;
  stop(): void;
}

/** Reads what there is from before. Throws OperatorProblem. */
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

/** Makes a self-signed certificate. Its library takes some MB, and is not loaded once there is a certificate. */
async function selfSigned({ domains }: AcmeSettings, clock: Pick<Clock, 'wallMs'>): Promise<TlsPair> {
  const { makeSelfSigned } = await import('../acme/self-signed.ts');
  return standIn(await makeSelfSigned(domains, clock.wallMs()));
}
