import type { After } from '../../clock.ts';

export interface TimedWorkDeps {
  readonly after: After;
  /** Does what is due, and returns in how many ms to ask again; null: not before it is woken. It does not reject. */
  readonly work: () => Promise<number | null>;
}

/** Work that falls due from time to time, one piece after the other. Where there is none, not even a timer runs. */
export class TimedWork {
  readonly #deps: TimedWorkDeps;
  #cancel: () => void = () => {};
  #isStopped = false;
  #isAtWork = false;
  /** Something may have fallen due since the work under way began. */
  #isWoken = false;

  constructor(deps: TimedWorkDeps) {
    this.#deps = deps;
  }

  /** It looks at once. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isAtWork && !this.#isStopped) void this.#work();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #work(): Promise<void> {
    this.#cancel();
    this.#isAtWork = true;
    this.#isWoken = false;
    const restMs = await this.#deps.work();
    this.#isAtWork = false;
    if (this.#isStopped) return;
    if (this.#isWoken) void this.#work();
    else if (restMs !== null) this.#cancel = this.#deps.after(restMs, () => void this.#work());
  }
}
