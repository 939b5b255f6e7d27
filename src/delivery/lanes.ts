import { LANES, type Lane } from '../push.ts';

/**
 * The pushes of a lane that may be in flight right after an outage; their number doubles at intervals. A provider that
 * was down is cold, and would refuse all at once. 64 delivery threads are at full speed within five seconds.
 */
const SLOW_START = { first: 16, doublesEveryMs: 400 };

interface LaneState {
  readonly limit: number;
  inFlight: number;
  canHaveWork: boolean;
  dueAtMs: number | null;
  closedUntilMs: number;
}

/** Counts a route's free places by lane (limits.ts), and finds lanes to claim from. */
export class Lanes {
  readonly #lanes: Readonly<Record<Lane, LaneState>>;
  #openSinceMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Readonly<Record<Lane, number>>) {
    const open = (lane: Lane): LaneState => ({
      limit: limits[lane],
      inFlight: 0,
      canHaveWork: true,
      dueAtMs: null,
      closedUntilMs: 0,
    });
    this.#lanes = { urgent: open('urgent'), standard: open('standard'), quarantine: open('quarantine') };
  }

  startSlowly(nowMs: number): void {
    this.#openSinceMs = nowMs;
  }

  /** Returns the lanes to claim from, in order. */
  claimable(nowMs: number): Lane[] {
    return LANES.filter((lane) => {
      const { canHaveWork, dueAtMs, closedUntilMs } = this.#lanes[lane];
      if (closedUntilMs > nowMs) return false;
      return this.free(lane, nowMs) > 0 && (canHaveWork || (dueAtMs !== null && dueAtMs <= nowMs));
    });
  }

  free(lane: Lane, nowMs: number): number {
    const { limit, inFlight } = this.#lanes[lane];
    const most = SLOW_START.first * 2 ** ((nowMs - this.#openSinceMs) / SLOW_START.doublesEveryMs);
    return Math.floor(Math.min(limit, most)) - inFlight;
  }

  get isIdle(): boolean {
    return LANES.every((lane) => this.#lanes[lane].inFlight === 0);
  }

  /** Returns when a lane is claimable without new work. Infinity: never. */
  wakeAtMs(nowMs: number): number {
    const wakes = LANES.map((lane) => {
      const { limit, inFlight } = this.#lanes[lane];
      if (inFlight >= limit) return Number.POSITIVE_INFINITY;
      const roomAtMs = this.free(lane, nowMs) > 0 ? 0 : nowMs + SLOW_START.doublesEveryMs;
      return Math.max(roomAtMs, wakeAtMs(this.#lanes[lane]));
    });
    return Math.min(...wakes);
  }

  closeUntil(lane: Lane, steadyMs: number): void {
    this.#lanes[lane].closedUntilMs = steadyMs;
  }

  /** Notes possible work in this lane, or any. */
  noteWork(lane?: Lane): void {
    for (const awaited of lane ? [lane] : LANES) this.#lanes[awaited].canHaveWork = true;
  }

  /** Begins a claim, which misses later work. */
  claiming(lane: Lane): void {
    this.#lanes[lane].canHaveWork = false;
  }

  /** The claim is over. */
  claimed(lane: Lane, pushes: number, hasMore: boolean, dueAtMs: number | null): void {
    this.#lanes[lane].inFlight += pushes;
    this.#lanes[lane].canHaveWork ||= hasMore;
    this.#lanes[lane].dueAtMs = dueAtMs;
  }

  settled(lane: Lane, pushes: number): void {
    this.#lanes[lane].inFlight -= pushes;
  }
}

function wakeAtMs({ canHaveWork, dueAtMs, closedUntilMs }: LaneState): number {
  return Math.max(closedUntilMs, canHaveWork ? 0 : (dueAtMs ?? Number.POSITIVE_INFINITY));
}
