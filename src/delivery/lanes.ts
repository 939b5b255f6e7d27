import { LANES, type Lane } from '../push.ts';

interface LaneState {
  readonly limit: number;
  inFlight: number;
  /** Whether a claim may find something. */
  mayHaveWork: boolean;
  /** When the next push of this lane is due. */
  dueAtMs: number | null;
  /** Nothing is claimed before. */
  closedUntilMs: number;
}

/**
 * How many more pushes of one route may be in flight, lane by lane (see limits.ts), and which lanes are worth claiming
 * from.
 */
export class Lanes {
  readonly #lanes: Readonly<Record<Lane, LaneState>>;

  constructor(limits: Readonly<Record<Lane, number>>) {
    const open = (lane: Lane): LaneState => ({
      limit: limits[lane],
      inFlight: 0,
      mayHaveWork: true,
      dueAtMs: null,
      closedUntilMs: 0,
    });
    this.#lanes = { urgent: open('urgent'), standard: open('standard'), suspect: open('suspect') };
  }

  /** The lanes to claim from, in this order. */
  claimable(nowMs: number): Lane[] {
    return LANES.filter((lane) => {
      const { mayHaveWork, dueAtMs, closedUntilMs } = this.#lanes[lane];
      if (closedUntilMs > nowMs) return false;
      return this.free(lane) > 0 && (mayHaveWork || (dueAtMs !== null && dueAtMs <= nowMs));
    });
  }

  free(lane: Lane): number {
    return this.#lanes[lane].limit - this.#lanes[lane].inFlight;
  }

  get isIdle(): boolean {
    return LANES.every((lane) => this.#lanes[lane].inFlight === 0);
  }

  /** When a lane with room is or becomes claimable without new work. Infinity: never. */
  wakeAtMs(): number {
    const withRoom = LANES.filter((lane) => this.free(lane) > 0);
    return Math.min(...withRoom.map((lane) => wakeAtMs(this.#lanes[lane])));
  }

  closeUntil(lane: Lane, steadyMs: number): void {
    this.#lanes[lane].closedUntilMs = steadyMs;
  }

  /** There may be new work in this lane, or in any. */
  workMayWait(lane?: Lane): void {
    for (const each of lane ? [lane] : LANES) this.#lanes[each].mayHaveWork = true;
  }

  /** A claim begins: it does not see work that comes from now on. */
  claiming(lane: Lane): void {
    this.#lanes[lane].mayHaveWork = false;
  }

  /** The claim is over. */
  claimed(lane: Lane, pushes: number, hasMore: boolean, dueAtMs: number | null): void {
    this.#lanes[lane].inFlight += pushes;
    this.#lanes[lane].mayHaveWork ||= hasMore;
    this.#lanes[lane].dueAtMs = dueAtMs;
  }

  settled(lane: Lane, pushes: number): void {
    this.#lanes[lane].inFlight -= pushes;
  }
}

function wakeAtMs({ mayHaveWork, dueAtMs, closedUntilMs }: LaneState): number {
  return Math.max(closedUntilMs, mayHaveWork ? 0 : (dueAtMs ?? Number.POSITIVE_INFINITY));
}
