import { LANES, type Lane } from '../push.ts';

interface LaneState {
  readonly limit: number;
  inFlight: number;
  /** Whether a claim may find something. */
  mayHaveWork: boolean;
  /** When something that waits in this lane falls due. */
  dueAtMs: number | null;
  /** Until then nothing is claimed from it. */
  closedUntilMs: number;
}

/**
 * How many pushes of one route may still go out, lane by lane (see limits.ts), and in which lanes it is worth asking for
 * more.
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

  /** The lanes to claim from now, urgent first, suspects last. */
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

  /** When a lane with room becomes claimable by itself; null: only new work can do it. */
  wakeAtMs(): number | null {
    const dues = LANES.filter((lane) => this.free(lane) > 0).map((lane) => wakeAtMs(this.#lanes[lane]));
    return dues.reduce((first, due) => (first === null || (due !== null && due < first) ? due : first), null);
  }

  closeUntil(lane: Lane, steadyMs: number): void {
    this.#lanes[lane].closedUntilMs = steadyMs;
  }

  /** Something may have come into this lane, or into any. */
  workMayWait(lane?: Lane): void {
    for (const each of lane ? [lane] : LANES) this.#lanes[each].mayHaveWork = true;
  }

  /** A claim is on its way: it does not see what comes into the lane from now on. */
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

function wakeAtMs({ mayHaveWork, dueAtMs, closedUntilMs }: LaneState): number | null {
  if (mayHaveWork && closedUntilMs > 0) return closedUntilMs;
  return dueAtMs === null ? null : Math.max(dueAtMs, closedUntilMs);
}
