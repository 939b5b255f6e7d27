/** Keeps sends below a provider's quota: `perMinute` of them, let through evenly, never more than a second's worth at once. */
export class Pace {
  readonly #perSecond: number;
  #allowance: number;
  #filledAtMs: number;

  constructor(perMinute: number, steadyMs: number) {
    this.#perSecond = perMinute / 60;
    this.#allowance = this.#perSecond;
    this.#filledAtMs = steadyMs;
  }

  /** Takes room for `sends` and answers how many ms to wait before making them. The debt of one caller delays the next. */
  take(sends: number, steadyMs: number): number {
    const filled = this.#allowance + ((steadyMs - this.#filledAtMs) * this.#perSecond) / 1000;
    this.#allowance = Math.min(this.#perSecond, filled) - sends;
    this.#filledAtMs = steadyMs;
    return this.#allowance >= 0 ? 0 : Math.ceil((-this.#allowance * 1000) / this.#perSecond);
  }
}
