import { pino } from 'pino';
import { CertificateKeeper, type KeeperDeps } from '../../src/acme/keeper.ts';
import type { OrderJob, Outcome } from '../../src/acme/order.ts';
import type { RenewalInfo } from '../../src/acme/requests.ts';
import { TlsFolder } from '../../src/acme/state.ts';
import { makeAuthority } from '../../src/sandbox/credentials.ts';
import { issuePair } from './acme-issuing.ts';
import { temporaryFolder } from './folder.ts';
import { SimulatedClock } from './simulation.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const SETTINGS = {
  domains: ['push.example.com'],
  contact: null,
  directory: 'https://ca.example.com/directory',
  caFile: null,
};
export const authority = await makeAuthority(Date.now());

export async function failed(sentence: string, type: string, retryAfterMs: number | null = null): Promise<Outcome> {
  return { pair: null, problem: { sentence, type, retryAfterMs }, clockOffMs: null };
}

/** A keeper with a simulated clock, a folder of its own, and an authority that gives what it is asked for. */
export class Scene {
  readonly clock = new SimulatedClock();
  readonly startedMs = this.clock.wallMs();
  readonly dataDir = temporaryFolder();
  readonly served: string[] = [];
  readonly jobs: OrderJob[] = [];
  readonly tries: number[] = [];
  /** The time by which the authority's clock is ahead. */
  aheadMs = 0;
  /** The time by which this machine's wall clock is ahead. */
  wallAheadMs = 0;
  /** Times at which the authority was asked about the renewal. */
  readonly looks: number[] = [];
  info: RenewalInfo = { window: null, retryAfterMs: null, clockOffMs: null };
  answer: () => Promise<Outcome> = () => this.certificate();
  use: (pair: string) => void = (pair) => void this.served.push(pair);
  #keeper: CertificateKeeper | null = null;

  get current(): CertificateKeeper | null {
    return this.#keeper;
  }

  get triedHours(): readonly number[] {
    return this.tries.map((atMs) => Math.round((atMs - this.startedMs) / HOUR_MS));
  }

  async certificate(domains: readonly string[] = SETTINGS.domains): Promise<Outcome> {
    const fromMs = this.clock.wallMs() + this.aheadMs;
    const pair = issuePair(authority, { domains, fromMs, toMs: fromMs + 90 * DAY_MS });
    return { pair, problem: null, clockOffMs: this.aheadMs - this.wallAheadMs };
  }

  /** The folder, whose `name` does something else first. */
  folderWith(name: 'putState' | 'putPair', first: () => void): KeeperDeps['folder'] {
    const folder = new TlsFolder(this.dataDir);
    return {
      accountKey: () => folder.accountKey(),
      pair: () => folder.pair(),
      state: () => folder.state(),
      putAccountKey: (pem) => folder.putAccountKey(pem),
      putPair(pem) {
        if (name === 'putPair') first();
        folder.putPair(pem);
      },
      putState(state) {
        if (name === 'putState') first();
        folder.putState(state);
      },
    };
  }

  start(deps: Partial<KeeperDeps> = {}): CertificateKeeper {
    const keeper = new CertificateKeeper({
      settings: SETTINGS,
      ca: null,
      folder: new TlsFolder(this.dataDir),
      challenges: ['tls-alpn-01'],
      clock: { wallMs: () => this.clock.wallMs() + this.wallAheadMs },
      after: this.clock.after,
      random: () => 0.5,
      log: pino({ level: 'silent' }),
      order: (job) => {
        this.jobs.push(job);
        this.tries.push(this.clock.wallMs());
        return this.answer();
      },
      askRenewalInfo: async () => {
        this.looks.push(this.clock.wallMs());
        return { ...this.info, clockOffMs: this.aheadMs - this.wallAheadMs };
      },
      ...deps,
    });
    this.#keeper = keeper;
    keeper.start((pair) => this.use(pair));
    return keeper;
  }

  restart(deps: Partial<KeeperDeps> = {}): CertificateKeeper {
    this.#keeper?.stop();
    return this.start(deps);
  }
}
