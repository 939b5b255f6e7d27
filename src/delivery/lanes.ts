import { LANES, type Lane } from '../push.ts';

interface LaneState {
  readonly places: number;
  out: number;
  /** Whether a claim may find something. */
  maybe: boolean;
  /** When something that waits in this lane falls due. */
  dueAtMs: number | null;
}

/**
 * How many batches of one route may still go out, lane by lane (see places.ts), and in which lanes it is worth asking for
 * more.
 */
export class Lanes {
  readonly #lanes: Readonly<Record<Lane, LaneState>>;

  constructor(places: Readonly<Record<Lane, number>>) {
    const open = (lane: Lane): LaneState => ({ places: places[lane], out: 0, maybe: true, dueAtMs: null });
    this.#lanes = { urgent: open('urgent'), standard: open('standard') };
  }

  /** The lanes to claim from now, urgent first. */
  claimable(nowMs: number): Lane[] {
    return LANES.filter((lane) => {
      const { maybe, dueAtMs } = this.#lanes[lane];
      return this.free(lane) > 0 && (maybe || (dueAtMs !== null && dueAtMs <= nowMs));
    });
  }

  free(lane: Lane): number {
    return this.#lanes[lane].places - this.#lanes[lane].out;
  }

  get isIdle(): boolean {
    return LANES.every((lane) => this.#lanes[lane].out === 0);
  }

  /** When a lane with a free place becomes claimable by itself; null: only a stir can do it. */
  wakeAtMs(): number | null {
    const dues = LANES.filter((lane) => this.free(lane) > 0).map((lane) => this.#lanes[lane].dueAtMs);
    return dues.reduce((first, due) => (first === null || (due !== null && due < first) ? due : first), null);
  }

  /** Something may have come into this lane, or into any. */
  stir(lane?: Lane): void {
    for (const each of lane ? [lane] : LANES) this.#lanes[each].maybe = true;
  }

  /** A claim is on its way. What stirs the lane from now on was not seen by it. */
  asked(lane: Lane): void {
    this.#lanes[lane].maybe = false;
  }

  answered(lane: Lane, hasMore: boolean, dueAtMs: number | null): void {
    this.#lanes[lane].maybe ||= hasMore;
    this.#lanes[lane].dueAtMs = dueAtMs;
  }

  leave(lane: Lane): void {
    this.#lanes[lane].out += 1;
  }

  back(lane: Lane): void {
    this.#lanes[lane].out -= 1;
  }
}
