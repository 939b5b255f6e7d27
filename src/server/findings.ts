import { pauseFindings, storedFindings } from '../health/findings.ts';
import { type Clock, within } from '../process/clock.ts';
import { type Finding, FREE_SPACE, fail, type Stopped, warn } from '../process/finding.ts';
import type { Route } from '../push.ts';
import { type LiveRoute, type StoreClient, StoreUnavailable } from '../store/calls.ts';
import type { Fault, ServingStore } from '../store/client.ts';
import type { StoredStatus } from '../store/stored-status.ts';
import type { Upkeep } from '../store/upkeep.ts';

/** Reading a large database is no trouble. */
const READS_WITHIN_MS = 10_000;
/** Exceeds the longest wait for a provider's answer. */
const STANDS_STILL_MS = 60_000;
const LINKS_FULL = 0.9;
const DAMAGE_HELP = 'see "The database is damaged" in operations.md: what is safe, and how to restore a backup';
const SEE_DISK = 'check the disk, and whether it is mounted read-only: journalctl -k -p err';
const SEE_LOG = 'see its log: pushctl logs --level warn';

interface FindingSources {
  readonly store: Pick<ServingStore, 'fault'> & Pick<StoreClient, 'proveWritable' | 'readStatus'>;
  readonly clock: Clock;
  readonly routes: () => ReadonlyMap<Route, LiveRoute>;
  /** See delivery-watch.ts. */
  readonly stillMs: () => ReadonlyMap<Route, number>;
  /** Failing upkeep of a shared database, and why. */
  readonly troubles: () => ReadonlyMap<Upkeep, string>;
  readonly certificate?: () => readonly Finding[];
  readonly signIn?: () => readonly Finding[];
  readonly proxy?: () => readonly Finding[];
  readonly linksBytes: () => number;
  readonly linksLimitBytes: number;
  /** Problems of backups since the last known one. */
  readonly backups: (last: StoredStatus['lastBackup']) => readonly Finding[];
}

/** The running server's problems, the one list for `status`, `doctor`, readiness, metrics and the web overview. */
export class ServerFindings {
  readonly #sources: FindingSources;
  readonly #storing: StoringProof;
  #refusal: string | null = null;
  #reading: Promise<StoredStatus | null> | null = null;

  constructor(sources: FindingSources) {
    this.#sources = sources;
    const { store, clock } = sources;
    this.#storing = new StoringProof(clock, () => this.#whatStopsEvents(store), [LATE]);
  }

  async all(): Promise<readonly Finding[]> {
    const paused = [...this.#sources.routes()].flatMap(([route, { pause }]) =>
      pause === null ? [] : { route, pause },
    );
    const [storing, stored] = await Promise.all([this.#storing.read(), this.stored()]);
    return [
      ...storing,
      ...this.#deliveries(),
      ...pauseFindings(paused, this.#sources.clock.wallMs()),
      ...(stored === null ? [] : storedFindings(stored)),
      ...(this.#sources.certificate?.() ?? []),
      ...(this.#sources.signIn?.() ?? []),
      ...(this.#sources.proxy?.() ?? []),
      ...[...this.#sources.troubles()].map(([what, reason]) => UPKEEP[what](reason)),
      ...this.#sources.backups(stored?.lastBackup ?? null),
      ...this.#links(),
    ];
  }

  /** Reads the database's state; null: unavailable. Concurrent callers share a read. */
  stored(): Promise<StoredStatus | null> {
    this.#reading ??= within(READS_WITHIN_MS, this.#sources.store.readStatus({}).catch(orNull), null).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Returns the first blocking problem, or null. Asks only necessary checks. */
  async stopping(what: Stopped): Promise<Finding | null> {
    const findings = what === 'events' ? await this.#storing.read() : this.#deliveries();
    return findings.find(({ stops }) => stops === what) ?? null;
  }

  /** Returns the last known reason why no events are accepted; null: none. */
  lastRefusal(): string | null {
    this.#storing.renew();
    return this.#refusal;
  }

  async #whatStopsEvents(store: FindingSources['store']): Promise<readonly Finding[]> {
    const fault = await whatStopsEvents(store);
    this.#refusal = fault?.reason ?? null;
    if (fault === null) return [];
    return [fault.isDamage ? damaged(fault) : takesNoEvents(fault.reason)];
  }

  #deliveries(): readonly Finding[] {
    return [...this.#sources.stillMs()].filter(([, ms]) => ms >= STANDS_STILL_MS).map(standsStill);
  }

  #links(): readonly Finding[] {
    const { linksBytes, linksLimitBytes } = this.#sources;
    if (linksBytes() < LINKS_FULL * linksLimitBytes) return [];
    const percent = Math.round((100 * linksBytes()) / linksLimitBytes);
    const message = `links and data of queued events use ${percent} % of their memory; when it is full, the oldest are discarded`;
    return [warn('links', message, 'raise limits.links_memory, or find out why the queue does not shrink')];
  }
}

/** Returns why no events are accepted; null: they are. Tries to write, since nothing else proves it. */
async function whatStopsEvents(store: FindingSources['store']): Promise<Fault | null> {
  const refused = await store.proveWritable({}).catch(reasonOf);
  const fault = await store.fault().catch(() => null);
  if (fault?.isDamage) return fault;
  const reason = fault?.reason ?? refused;
  return reason === null ? null : { reason, isDamage: false, isLasting: false };
}

function reasonOf(error: unknown): string {
  return error instanceof StoreUnavailable ? error.reason : 'an unexpected error of the store';
}

function damaged({ reason, isLasting }: Fault): Finding {
  const finding = isLasting
    ? fail('database', `is damaged, so no events are accepted: ${reason}`, DAMAGE_HELP)
    : fail('database', `has a page that cannot be read or written: ${reason}`, SEE_DISK);
  return { ...finding, stops: 'events' };
}

function orNull(error: unknown): null {
  if (!(error instanceof StoreUnavailable)) throw error;
  return null;
}

function takesNoEvents(reason: string): Finding {
  const advice = reason.includes('SQLITE_IOERR') ? SEE_DISK : reason.includes('SQLITE_FULL') ? FREE_SPACE : SEE_LOG;
  return { ...fail('server', `runs, but accepts no events: ${reason}`, advice), stops: 'events' };
}

const LATE = takesNoEvents('the store does not answer in time');

const UPKEEP: Readonly<Record<Upkeep, (reason: string) => Finding>> = {
  counts: (reason) =>
    warn(
      'queue',
      `the counters of waiting pushes cannot be compacted, so the queue becomes slower: ${reason}`,
      'check for locks on the tables queue_change and queue_floor in the database, and for changes to them',
    ),
  lease: (reason) =>
    fail(
      'nodes',
      `this server cannot renew its lease, and sends nothing without it: ${reason}`,
      'check for locks on the table node in the database, and the rights on it',
    ),
  notices: (reason) =>
    warn(
      'notices',
      `cannot be received, so this server polls for changes once a second: ${reason}`,
      'check [store] listen_url',
    ),
};

function standsStill([route, ms]: readonly [Route, number]): Finding {
  const message = `${route} is stuck: pushes are due, but none was accepted, refused or deferred for ${Math.floor(ms / 60_000)} min`;
  const advice = 'see pushctl logs --level warn; if it shows nothing: systemctl restart pushctl, and report this';
  return { ...fail('deliveries', message, advice), stops: 'deliveries' };
}

/** A caller waits this long for a new look, while the last one still holds. */
const ANSWERS_WITHIN_MS = 150;
/**
 * Otherwise a look may take this long before the store counts as late, since the machine may be busy. It is shorter
 * than the second for which an orchestrator waits by default.
 */
const LOOKS_WITHIN_MS = 800;
/** The first look is waited for. */
const STARTS_WITHIN_MS = 2_000;
/** The disk is tried at most once in this time. */
const LOOKS_EVERY_MS = 1_000;
/** Reports of nodes come every two seconds, and each look writes: they use a good result for so long. */
const GOOD_FOR_MS = 30_000;
/** Older results say nothing about now: the store is late. */
const HOLDS_MS = 3_000;

/** Finds why events cannot be stored, one check at a time. */
export class StoringProof {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #look: () => Promise<readonly Finding[]>;
  readonly #late: readonly Finding[];
  #last: { readonly found: readonly Finding[]; readonly atMs: number } | null = null;
  #looking: Promise<readonly Finding[]> | null = null;
  #lookingSinceMs = 0;

  /** `late`: the finding for a silent store. */
  constructor(clock: Pick<Clock, 'steadyMs'>, look: () => Promise<readonly Finding[]>, late: readonly Finding[]) {
    this.#clock = clock;
    this.#look = look;
    this.#late = late;
  }

  async read(): Promise<readonly Finding[]> {
    const last = this.#last;
    if (this.#looking === null && last !== null && this.#ageMs() < LOOKS_EVERY_MS) return last.found;
    this.#looking ??= this.#lookOnce();
    const found = await within<readonly Finding[] | null>(this.#patienceMs(), this.#looking, null);
    if (found !== null) return found;
    return last !== null && this.#ageMs() < HOLDS_MS ? last.found : this.#late;
  }

  /** Looks again, if the last look found something or is old. Nobody waits for it. */
  renew(): void {
    const isGood = this.#last !== null && this.#last.found.length === 0;
    if (!isGood || this.#ageMs() >= GOOD_FOR_MS) void this.read();
  }

  /** Waits once for a hanging store; later callers learn at once. */
  #patienceMs(): number {
    if (this.#last === null) return STARTS_WITHIN_MS;
    if (this.#ageMs() < HOLDS_MS) return ANSWERS_WITHIN_MS;
    return Math.max(ANSWERS_WITHIN_MS, LOOKS_WITHIN_MS - (this.#clock.steadyMs() - this.#lookingSinceMs));
  }

  async #lookOnce(): Promise<readonly Finding[]> {
    const atMs = this.#clock.steadyMs();
    this.#lookingSinceMs = atMs;
    try {
      const found = await this.#look();
      this.#last = { found, atMs };
      return found;
    } finally {
      this.#looking = null;
    }
  }

  #ageMs(): number {
    return this.#last === null ? Number.POSITIVE_INFINITY : this.#clock.steadyMs() - this.#last.atMs;
  }
}
