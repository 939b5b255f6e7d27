import { type Change, nameOf } from '../../changes/changes.ts';
import { ChangeNotifier, ChangeSource, type ChangeSourceOptions, hearChanges } from '../../changes/cluster-changes.ts';
import type { SignedIn } from '../../store/calls/sessions.ts';
import type { ServingStore } from '../../store/client.ts';
import { ApiError } from '../errors.ts';
import { displacedBy, History, type Numbered, type Out, type Owner, Stream } from './stream.ts';

interface StreamTimes {
  /** Interval of the sign of life (proxies cut silent streams) and of checking sessions. */
  readonly heartbeatMs: number;
  /** Shortest interval of sending gathered changes. */
  readonly notifyEveryMs: number;
  /** Time to note changes after the last stream, for returning clients. */
  readonly lingerMs: number;
}

interface StreamLimits {
  readonly perSession: number;
  readonly perPerson: number;
  readonly total: number;
}

export interface StreamsOptions extends ChangeSourceOptions {
  readonly store: ChangeSourceOptions['store'] & Pick<ServingStore, 'onTouched' | 'others'>;
  readonly times?: Partial<StreamTimes> | undefined;
  readonly limits?: Partial<StreamLimits> | undefined;
}

const TIMES: StreamTimes = { heartbeatMs: 20_000, notifyEveryMs: 500, lingerMs: 30_000 };
const LIMITS: StreamLimits = { perSession: 10, perPerson: 50, total: 2_000 };
/** The client's wait before it reconnects. */
const RETRY_MS = 2_000;
/**
 * An event beside the comment, which an `EventSource` ignores. Without an id, since clients resume from the last
 * change.
 */
const ALIVE = ':\n\nevent: alive\ndata: {}\n\n';
/** Gathers changes of one moment. */
const GATHER_MS = 20;

const EVERYTHING: Change = { kind: 'everything', audience: 'person', of: null };
const SESSION: Change = { kind: 'session', audience: 'person', of: null };

/**
 * Sends each open stream the changes for its person. Without streams, ignores the store's calls. Noting a change costs
 * the same for any number.
 */
export class Streams {
  readonly #store: StreamsOptions['store'];
  readonly #source: ChangeSource;
  /** Null: there are no other servers. */
  readonly #notifier: ChangeNotifier | null;
  readonly #times: StreamTimes;
  readonly #limits: StreamLimits;
  readonly #open = new Set<Stream>();
  /** To be sent, by name. */
  readonly #changes = new Map<string, Change>();
  #history = new History();
  #heartbeat: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #isScheduled = false;
  #flushedAtMs = Number.NEGATIVE_INFINITY;
  /** Calls that may have ended sessions or memberships, and how far streams were checked. */
  #rightsChanges = 0;
  #checkedUpTo = 0;
  #isClosed = false;

  constructor({ store, pausedRoutes, times, limits }: StreamsOptions) {
    this.#store = store;
    const changed = (change: Change): void => this.#note(change);
    const signedOut = (tokenHash: string): void => this.#end(tokenHash);
    this.#source = new ChangeSource({ store, pausedRoutes }, { changed, signedOut });
    const { others } = store;
    const notifier = others && new ChangeNotifier(store, others.notify);
    this.#notifier = notifier;
    if (others) hearChanges(others, { changed, signedOut });
    others?.onMissed(() => changed(EVERYTHING));
    others?.onLiving((count) => notifier?.listenWhile(count > 1));
    this.#times = { ...TIMES, ...times };
    this.#limits = { ...LIMITS, ...limits };
    store.onTouched('sessions', () => this.#rightsChanged());
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Gives a stream a place until it closes. Throws beyond the limits of session, person or total. If all places are
   * taken, the busiest workspace yields to a person of a smaller one.
   */
  admit(owner: Owner): Stream {
    const { tokenHash, user, memberships } = owner;
    const { perSession, perPerson, total } = this.#limits;
    const streams = [...this.#open];
    const ofPerson = streams.filter(({ userId }) => userId === user.id);
    const ofSession = ofPerson.filter((stream) => stream.tokenHash === tokenHash);
    const retryAfterMs = this.#times.heartbeatMs;
    if (ofSession.length >= perSession || ofPerson.length >= perPerson) {
      throw new ApiError('too_many_streams', { retryAfterMs });
    }
    const isFull = streams.length >= total;
    const displaced = isFull
      ? displacedBy(
          memberships.map(({ workspaceId }) => workspaceId),
          streams,
        )
      : null;
    if (this.#isClosed || (isFull && displaced === null)) throw new ApiError('overloaded', { retryAfterMs });
    if (displaced !== null) this.#drop(displaced);
    this.#listen();
    if (this.#open.size === 0) this.#heartbeat = setInterval(() => void this.#beat(), this.#times.heartbeatMs);
    const stream = new Stream(owner);
    this.#open.add(stream);
    return stream;
  }

  /**
   * Returns the id from which a new stream replays changes, so earlier reads stay valid. Notes changes as for returning
   * clients.
   */
  position(): string {
    this.#listen();
    if (this.#open.size === 0) this.#stopLater();
    return this.#history.id();
  }

  /** Begins writing to a response. `lastId`: the client's last event. */
  open(stream: Stream, out: Out, lastId: string | undefined): void {
    stream.open(out);
    const missed = this.#history.since(lastId) ?? [[EVERYTHING, 0]];
    const id = this.#history.id();
    stream.write(`retry: ${RETRY_MS}\n\n${missed.map(([change]) => stream.eventsOf(change, id)).join('')}`);
  }

  close(stream: Stream): void {
    if (!this.#open.delete(stream) || this.#open.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#stopLater();
  }

  /** Reports settled pushes; the devices may be inactive now. */
  settled(events: readonly { readonly workspaceId: number }[], gone: readonly number[] = []): void {
    this.#source.settled(events, gone);
    this.#notifier?.settled(events, gone);
  }

  endAll(): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end();
    this.#stop();
  }

  /** Sends the other servers what is still gathered. Call it last: nothing is sent afterwards. */
  async finish(): Promise<void> {
    await this.#notifier?.close();
  }

  #drop(stream: Stream): void {
    stream.end();
    this.close(stream);
  }

  #stopLater(): void {
    this.#linger = setTimeout(() => this.#stop(), this.#times.lingerMs).unref();
  }

  #listen(): void {
    clearTimeout(this.#linger);
    if (this.#source.isListening) return;
    this.#history = new History();
    this.#source.listen();
  }

  #stop(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#linger);
    this.#source.stop();
    this.#changes.clear();
    this.#checkedUpTo = this.#rightsChanges;
  }

  #end(tokenHash: string): void {
    for (const stream of this.#open) if (stream.tokenHash === tokenHash) this.#drop(stream);
  }

  #note(change: Change): void {
    if (!this.#source.isListening) return;
    this.#changes.set(nameOf(change), change);
    this.#schedule();
  }

  #rightsChanged(): void {
    if (!this.#source.isListening) return;
    this.#history.add(SESSION); // Replayed to returning clients; open streams are checked.
    this.#rightsChanges += 1;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const waitMs = this.#flushedAtMs + this.#times.notifyEveryMs - performance.now();
    setTimeout(() => void this.#flush(), Math.max(GATHER_MS, waitMs)).unref();
  }

  /** Sends nothing before rights are checked: people may have lost them. */
  async #flush(): Promise<void> {
    if (this.#shouldCheck) await this.#checkSessions();
    this.#source.checkRoutes();
    if (!this.#shouldCheck) {
      const numbered = [...this.#changes.values()].map((change) => this.#history.add(change));
      this.#changes.clear();
      for (const stream of this.#open) stream.write(this.#eventsFor(stream, numbered));
    }
    this.#flushedAtMs = performance.now();
    this.#isScheduled = false;
    if (this.#shouldCheck || this.#changes.size > 0) this.#schedule();
  }

  #eventsFor(stream: Stream, numbered: readonly Numbered[]): string {
    return numbered.map(([change, number]) => stream.eventsOf(change, this.#history.id(number))).join('');
  }

  async #beat(): Promise<void> {
    for (const stream of this.#open) stream.write(ALIVE);
    await this.#checkSessions();
    this.#source.checkRoutes();
  }

  get #shouldCheck(): boolean {
    return this.#rightsChanges > this.#checkedUpTo;
  }

  /** Checks each session once; streams end with it or get new rights. */
  async #checkSessions(): Promise<void> {
    const changes = this.#rightsChanges;
    const byToken = Map.groupBy(this.#open, ({ tokenHash }) => tokenHash);
    const checks = [...byToken].map(async ([tokenHash, streams]) =>
      this.#refresh(streams, await this.#store.findSession({ tokenHash })),
    );
    const answers = await Promise.allSettled(checks);
    if (answers.every(({ status }) => status === 'fulfilled')) this.#checkedUpTo = Math.max(this.#checkedUpTo, changes);
  }

  #refresh(streams: readonly Stream[], session: SignedIn | null): void {
    for (const stream of streams) {
      if (session === null) this.#drop(stream);
      else if (stream.refresh(session)) stream.write(stream.eventsOf(SESSION, this.#history.id()));
    }
  }
}
