import { publicIdOf } from '../../contract/public-id.ts';
import type { Pause } from '../../delivery/circuit-breaker.ts';
import type { Clock } from '../../process/clock.ts';
import type { Route, Sent } from '../../push.ts';
import {
  type AcceptArgs,
  type Claim,
  type ClaimedEvent,
  isRefusal,
  type QueueAge,
  type QueueDepth,
  type Refusal,
  type StoreClient,
  type Watched,
} from '../../store/calls.ts';
import { toTimestamp } from '../../values/timestamp.ts';
import { PulseCounts, type PulseItem, type RoutePulse, type SentItem } from './items.ts';

const PULSE_MS = 1_000;
/** The rest after a look at the queue, as a multiple of its duration: a hundredth of a core at most. */
const LOOK_REST = 99;

/** Takes an item; false drops it: the watcher is too slow. */
type Emit = (item: SentItem | PulseItem) => boolean;

/** Arguments from a same-version command. `devices`: name outcomes' devices. */
type WatchArgs = Watched & { readonly devices?: boolean };

export interface FeedDeps {
  readonly store: Pick<StoreClient, 'findWatched' | 'publicDeviceIds' | 'queueDepth' | 'queueAge'>;
  readonly clock: Clock;
  readonly pauses: () => readonly { readonly route: Route; readonly pause: Pause | null }[];
  readonly batchesInFlight: () => number;
  readonly connections: (route: Route) => number;
  readonly linksBytes: () => number;
}

interface Watcher {
  readonly watched: Watched;
  /** The watched workspace; null: all. */
  readonly workspaceId: number | null;
  /** Whether to name each outcome's devices. */
  readonly withDevices: boolean;
  readonly emit: Emit;
  readonly counts: PulseCounts;
}
interface Queue {
  readonly depth: readonly QueueDepth[];
  readonly age: readonly QueueAge[];
  readonly seenAtMs: number;
}

/** Sends watchers the server's activity. Costs nothing without any. */
export class Feed {
  readonly #deps: FeedDeps;
  readonly #watchers = new Set<Watcher>();
  #queue: Queue = { depth: [], age: [], seenAtMs: 0 };
  #timer: NodeJS.Timeout | null = null;
  #nextLookMs = 0;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  /** Returns how to stop, or a refusal. */
  async watch(args: unknown, emit: Emit): Promise<(() => void) | Refusal> {
    const { devices: withDevices = false, ...watched } = (args ?? {}) as WatchArgs;
    const found = await this.#deps.store.findWatched(watched);
    if (isRefusal(found)) return found;
    const counts = new PulseCounts(this.#deps.clock.steadyMs());
    const watcher: Watcher = { watched, ...found, withDevices, emit, counts };
    this.#watchers.add(watcher);
    this.#start();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.close();
    };
  }

  accepted(event: Pick<AcceptArgs, 'workspaceId' | 'channel' | 'uuid'>, routes: readonly Route[]): void {
    for (const { watched, workspaceId, counts } of this.#watchers) {
      const isWatched =
        isWanted(workspaceId, event.workspaceId) &&
        isWanted(watched.channel, event.channel) &&
        (watched.route === undefined || routes.includes(watched.route)) &&
        (watched.event === undefined || watched.event === publicIdOf(event.uuid));
      if (isWatched) counts.events += 1;
    }
  }

  sent(claim: Claim, answers: readonly Sent[]): void {
    if (this.#watchers.size === 0) return;
    const wallMs = this.#deps.clock.wallMs();
    for (const [event, answersOfEvent] of answersByEvent(claim, answers))
      this.#report(sentItem(event, claim.route, answersOfEvent, wallMs), answersOfEvent);
  }

  #report(item: SentItem, answers: readonly Sent[]): void {
    const watchers = [...this.#watchers].filter(({ watched }) => isOf(watched, item));
    const isAsked = watchers.some(({ withDevices }) => withDevices);
    const itemWithDevices = isAsked ? this.#withDevices(item, answers) : Promise.resolve(item);
    for (const { withDevices, emit, counts } of watchers) {
      counts.count(item);
      const emitTo = (shown: SentItem): void => {
        if (!emit(shown)) counts.skipped += 1;
      };
      if (withDevices) void itemWithDevices.then(emitTo);
      else emitTo(item);
    }
  }

  async #withDevices(item: SentItem, answers: readonly Sent[]): Promise<SentItem> {
    const ids = answers.map(({ deviceId }) => deviceId);
    // Sends outcomes without devices while the store closes or is overloaded.
    const publicIds = await this.#deps.store.publicDeviceIds({ ids }).catch(() => ({}));
    return { ...item, outcomes: outcomesOf(answers, publicIds) };
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #start(): void {
    if (this.#timer) return;
    this.#nextLookMs = 0;
    this.#timer = setInterval(() => void this.#pulse(), PULSE_MS);
  }

  async #pulse(): Promise<void> {
    const { clock } = this.#deps;
    await this.#look();
    const nowMs = clock.steadyMs();
    for (const { watched, emit, counts } of this.#watchers) {
      // A dropped pulse is covered by the next, longer one.
      if (emit(this.#pulseOf(counts, watched.route, nowMs - counts.sinceMs))) counts.next(nowMs);
    }
  }

  async #look(): Promise<void> {
    const { store, clock } = this.#deps;
    const startMs = clock.steadyMs();
    if (startMs < this.#nextLookMs) return;
    try {
      const [depth, age] = await Promise.all([store.queueDepth({}), store.queueAge({})]);
      this.#queue = { depth, age, seenAtMs: clock.steadyMs() };
    } catch {
      // Keeps the last figures while the store closes or is overloaded.
    }
    this.#nextLookMs = startMs + LOOK_REST * (clock.steadyMs() - startMs);
  }

  #pulseOf(counts: PulseCounts, watched: Route | undefined, periodMs: number): PulseItem {
    const { clock, pauses, batchesInFlight, linksBytes } = this.#deps;
    return {
      kind: 'pulse',
      at: toTimestamp(clock.wallMs()),
      period_ms: periodMs,
      events: counts.events,
      routes: pauses()
        .filter(({ route }) => isWanted(watched, route))
        .map(({ route, pause }) => this.#routePulse(counts, route, pause)),
      latency: counts.latency(),
      batches_in_flight: batchesInFlight(),
      links_bytes: linksBytes(),
      skipped: counts.skipped,
    };
  }

  #routePulse(counts: PulseCounts, route: Route, pause: Pause | null): RoutePulse {
    const nowMs = this.#deps.clock.steadyMs();
    const isHere = (entry: { readonly route: Route }): boolean => entry.route === route;
    const depth = this.#queue.depth.filter(isHere);
    const age = this.#queue.age.filter(isHere);
    const { accepted, errors } = counts.of(route);
    return {
      route,
      pause: pause && { kind: pause.kind, reason: pause.reason, for_ms: nowMs - pause.sinceMs },
      connections: this.#deps.connections(route),
      accepted,
      errors,
      waiting: depth.reduce((sum, { waiting }) => sum + waiting, 0),
      deferred: depth.reduce((sum, { deferred }) => sum + deferred, 0),
      oldest_ms: age.length === 0 ? null : nowMs - this.#queue.seenAtMs + Math.max(...age.map(({ ageMs }) => ageMs)),
    };
  }
}

function isOf({ workspace, channel, route, event }: Watched, item: SentItem): boolean {
  return (
    isWanted(workspace, item.workspace) &&
    isWanted(channel, item.channel) &&
    isWanted(route, item.route) &&
    isWanted(event, item.event)
  );
}

function isWanted<T>(wanted: T | null | undefined, value: T): boolean {
  return (wanted ?? value) === value;
}

/** Groups a batch's outcomes by event. */
function answersByEvent({ events, targets }: Claim, answers: readonly Sent[]): [ClaimedEvent['event'], Sent[]][] {
  const byEvent = Map.groupBy(answers, ({ index }) => targets[index]?.event);
  return events.flatMap(({ event }, place) => {
    const answersOfEvent = byEvent.get(place);
    return answersOfEvent ? [[event, answersOfEvent]] : [];
  });
}

function sentItem(event: ClaimedEvent['event'], route: Route, answers: readonly Sent[], wallMs: number): SentItem {
  return {
    kind: 'sent',
    at: toTimestamp(wallMs),
    workspace: event.workspace,
    channel: event.channel,
    event: event.publicId,
    route,
    after_ms: Math.max(0, wallMs - event.receivedAtMs),
    outcomes: outcomesOf(answers),
  };
}

function outcomesOf(answers: readonly Sent[], publicIds?: Readonly<Record<number, string>>): SentItem['outcomes'] {
  const reasonOf = ({ outcome }: Sent) => ('reason' in outcome ? outcome.reason : null);
  const groups = Map.groupBy(answers, (sent) => `${sent.outcome.kind} ${reasonOf(sent)}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const devices = publicIds && { device_ids: group.map(({ deviceId }) => publicIds[deviceId] ?? null) };
    return { outcome: first.outcome.kind, reason: reasonOf(first), count: group.length, ...devices };
  });
}
