export interface Backend {
  readonly pid: number;
  /** The start time as the database writes it, because pids are reused. */
  readonly startedAt: string;
}

/** Ends existing backends, and returns those. */
export type EndBackends = (backends: readonly Backend[]) => Promise<readonly Backend[]>;

const LOOK_EVERY_MS = 1_000;

/**
 * Abandoned connections' backends. They may still execute, and hold locks and a slot: they count until known to be
 * gone.
 */
export class AbandonedBackends {
  readonly #end: EndBackends;
  readonly #onCount: (count: number) => void;
  #left: readonly Backend[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(end: EndBackends, onCount: (count: number) => void) {
    this.#end = end;
    this.#onCount = onCount;
  }

  add(backend: Backend): void {
    this.#keep([...this.#left, backend]);
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const asked = this.#left;
    // Without the database's answer, all count as still there.
    const found = await this.#end(asked).catch(() => asked);
    const there = new Set(found.map(({ pid }) => pid));
    this.#keep(this.#left.filter((backend) => !asked.includes(backend) || there.has(backend.pid)));
    this.#timer = this.#left.length === 0 ? null : setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  #keep(left: readonly Backend[]): void {
    this.#left = left;
    this.#onCount(left.length);
  }
}
