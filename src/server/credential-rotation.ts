import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config, Configured } from '../config/config.ts';
import { readablePath } from '../config/named-file.ts';
import type { RunningHttp } from '../http/listeners/listener.ts';
import type { After, Clock } from '../process/clock.ts';
import { certificateEnd } from '../process/finding.ts';
import { providerFiles } from '../providers/credentials.ts';
import type { Certificates } from './certificates.ts';
import type { Delivery } from './delivery.ts';

const NOTIFY_EVERY_MS = 3_600_000;

interface RenewalDeps {
  readonly config: Partial<Configured> & Pick<Config, 'tls' | 'handedOver'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly after: After;
  readonly log: Logger;
}

/** The parts that use the files. */
interface Renewed {
  readonly http: Pick<RunningHttp, 'reloadTls' | 'certificateEndsAtMs'>;
  /** Called once HTTP has another certificate. */
  readonly onCertificate?: () => void;
  readonly delivery: Pick<Delivery, 'reload'>;
  /** The server's own certificate, if any. */
  readonly certificates?: Pick<Certificates, 'tryNow' | 'stop'> | null;
}

/**
 * Reloads renewed certificates and keys. Logs expired or expiring certificates at the start and hourly. Create it
 * before reading the files; start it once they are in use.
 */
export class Renewals {
  readonly #deps: RenewalDeps;
  readonly #watches: readonly FileWatch[];
  #renewed: Renewed | null = null;
  #cancelReporting: () => void = () => {};

  constructor(deps: RenewalDeps) {
    const { tls } = deps.config;
    const keys = providerFiles(deps.config).map(({ file }) => file);
    this.#deps = deps;
    this.#watches = [
      this.#watch([tls?.cert, tls?.key], async () => void this.#reloadCertificate()),
      this.#watch(keys, async () => {
        await this.#renewed?.delivery.reload();
      }),
    ];
  }

  start(renewed: Renewed): void {
    this.#renewed = renewed;
    for (const watch of this.#watches) watch.start();
    this.#keepReporting();
  }

  /** Aborts an order too: authorities must not check a closed port. */
  stop(): void {
    this.#renewed?.certificates?.stop();
    for (const watch of this.#watches) watch.stop();
    this.#cancelReporting();
  }

  /** Reloads all. Logs unusable ones and keeps the old ones. Returns whether all are usable. */
  async reload(): Promise<boolean> {
    const isCertificateRight = this.#reloadCertificate();
    this.#renewed?.certificates?.tryNow();
    return (await this.#renewed?.delivery.reload()) === true && isCertificateRight;
  }

  #watch(named: readonly (string | null | undefined)[], onChange: () => Promise<void>): FileWatch {
    const { config, after } = this.#deps;
    const files = named.filter((file) => typeof file === 'string');
    return new FileWatch({ files: () => files.map((file) => readablePath(config, file)), after, onChange });
  }

  #reloadCertificate(): boolean {
    const { log } = this.#deps;
    const { problem, isNew } = this.#renewed?.http.reloadTls() ?? { problem: null, isNew: false };
    if (problem !== null) log.error(problem);
    if (isNew) {
      this.#renewed?.onCertificate?.();
      log.info({ ends: this.#ends() }, 'the server uses a renewed certificate');
      this.#report();
    }
    return problem === null;
  }

  #keepReporting(): void {
    this.#report();
    this.#cancelReporting = this.#deps.after(NOTIFY_EVERY_MS, () => this.#keepReporting());
  }

  #report(): void {
    const { config, clock, log } = this.#deps;
    const ends = this.#ends();
    // ACME reports faults as they happen.
    if (ends === null || config.tls?.acme) return;
    const { state, days } = certificateEnd(ends.getTime(), clock.wallMs());
    const about = { certificate: config.tls?.cert, ends };
    if (state === 'ended') log.error(about, 'the certificate of the server has expired: renew it');
    if (state === 'soon' || state === 'late')
      log.warn(about, `the certificate of the server expires in ${days} days: renew it`);
  }

  #ends(): Date | null {
    const ms = this.#renewed?.http.certificateEndsAtMs() ?? null;
    return ms === null ? null : new Date(ms);
  }
}

const LOOK_EVERY_MS = 1_000;

interface FileWatchOptions {
  /** Called at each look, as files may move. */
  readonly files: () => readonly string[];
  readonly after: After;
  /** Never rejects. */
  readonly onChange: () => Promise<void>;
}

/**
 * Reports changed files after a second without change, which allows for writing a pair. Polls: watches miss changed
 * links, renamed folders and mounts. Create it before reading the files, or changes in between are missed.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  #reported: string;
  #seen: string;
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#reported = options.files().map(markNow).join('\n');
    this.#seen = this.#reported;
  }

  start(): void {
    if (!this.#isStopped) this.#cancel = this.#options.after(LOOK_EVERY_MS, () => void this.#look());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const marks = await Promise.all(this.#options.files().map(mark));
    if (this.#isStopped) return;
    const seen = marks.join('\n');
    const isAtRest = seen === this.#seen;
    this.#seen = seen;
    if (isAtRest && seen !== this.#reported) {
      this.#reported = seen;
      await this.#options.onChange();
    }
    this.start();
  }
}

interface Marked {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

function markNow(file: string): string {
  try {
    return textOf(file, statSync(file, { bigint: true }));
  } catch {
    return file;
  }
}

async function mark(file: string): Promise<string> {
  try {
    return textOf(file, await stat(file, { bigint: true }));
  } catch {
    return file;
  }
}

function textOf(file: string, { dev, ino, size, mtimeNs, ctimeNs }: Marked): string {
  return [file, dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
