import { ChangeSource, type ChangeSourceOptions } from '../../changes/change-source.ts';
import { type Change, nameOf } from '../../changes/changes.ts';
import { ChangeNotifier, hearChanges } from '../../changes/cluster-changes.ts';
import type { SignedIn } from '../../store/calls/sessions.ts';
import type { ServingStore } from '../../store/serving-store.ts';
import { ApiError } from '../errors.ts';
import { History, type Numbered } from './history.ts';
import { displacedBy } from './shares.ts';
import { type Out, type Owner, Stream } from './stream.ts';

export interface StreamTimes {
  /** How often each stream gets a sign of life, as proxies cut off what is silent, and sessions are checked. */
  readonly heartbeatMs: number;
  /** At most so often changes are sent, gathered since the last time. */
  readonly notifyEveryMs: number;
  /** How long changes are still noted after the last stream has closed, for a client that comes back. */
  readonly lingerMs: number;
}

export interface StreamLimits {
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
/** The time that a client waits before it comes back. */
const RETRY_MS = 2_000;
/**
 * The sign of life. An `EventSource` does not hear a comment, so it is an event as well; without an id, as a client goes on
 * from the last change that it got.
 */
const ALIVE = ':\n\nevent: alive\ndata: {}\n\n';
/** Changes of one moment go out together. */
const GATHER_MS = 20;

const EVERYTHING: Change = { kind: 'everything', audience: 'person', of: null };
const SESSION: Change = { kind: 'session', audience: 'person', of: null };

/**
 * The open streams of server-sent events. Sends each what may have changed for its person. While none is open, the
 * calls of the store are not listened to. To note a change costs the same however many streams there are.
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
  /** Counts the calls that may have ended sessions or memberships, and up to which of them the streams were checked. */
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

  /** How many are open. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * A stream that takes a place from now on, until it is closed. Throws where this session, this person, or all together
   * have too many already. Where all places are taken, one of the workspace with the most is made free for a person
   * whose workspace has fewer.
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
   * The id from which on a stream has all that a client may miss of what it reads from now on: it need not load that
   * again when it opens one. Changes are noted for as long as for a client that comes back.
   */
  position(): string {
    this.#listen();
    if (this.#open.size === 0) this.#stopLater();
    return this.#history.id();
  }

  /** Begins to write to a response. `lastId`: of the last event that the client has got. */
  open(stream: Stream, out: Out, lastId: string | undefined): void {
    stream.open(out);
    const missed = this.#history.since(lastId) ?? [[EVERYTHING, 0]];
    const id = this.#history.id();
    stream.write(`retry: ${RETRY_MS}\n\n${missed.map(([change]) => stream.eventsOf(change, id)).join('')}`);
  }

  /** Makes its place free. */
  close(stream: Stream): void {
    if (!this.#open.delete(stream) || this.#open.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#stopLater();
  }

  /** Pushes of these events were settled, and the devices with these ids may be inactive by it. */
  settled(events: readonly { readonly workspaceId: number }[], gone: readonly number[] = []): void {
    this.#source.settled(events, gone);
    this.#notifier?.settled(events, gone);
  }

  /** Ends all streams, and lets no more be opened. */
  endAll(): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end();
    this.#stop();
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
    this.#history.add(SESSION); // For clients that come back; open streams are checked.
    this.#rightsChanges += 1;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const waitMs = this.#flushedAtMs + this.#times.notifyEveryMs - performance.now();
    setTimeout(() => void this.#flush(), Math.max(GATHER_MS, waitMs)).unref();
  }

  /** Nothing is sent before the rights that may have changed are checked, as it might be to a person who lost them. */
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

  /** Asks for each session once: its streams end with it, or get the rights that it has now. */
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
