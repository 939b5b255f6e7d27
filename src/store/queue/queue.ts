import type { Moment } from '../../process/clock.ts';
import type { Handlers } from '../handlers/handler.ts';
import type { Awaitable } from '../sql.ts';
import { claiming } from './claiming.ts';
import { Claims } from './claims.ts';
import { retriedOf } from './dead-letter.ts';
import { ending } from './ending.ts';
import type { OverEvent, QueueEngine } from './engine.ts';
import type { FanOutKey } from './fan-out-pages.ts';
import type { QueueDeps } from './planning.ts';
import { settling } from './settling.ts';
import { ENDINGS_PER_CALL, sweeping } from './sweep.ts';
import { Turns } from './turns.ts';

export type QueueCalls = Handlers<
  'claimBatches' | 'settleBatch' | 'releaseBatch' | 'expireOverdue' | 'retryDeadLetters'
>;

/**
 * The relay's queue: claims, sends, settles. The first claim or sweep takes over the last process's queue (`resume`, a
 * part per call, which returns whether it is done); other commands do not.
 */
export class Queue {
  readonly #deps: QueueDeps;
  readonly #resume: (now: Moment) => Awaitable<boolean>;
  readonly #ending: ReturnType<typeof ending>;
  #isResumed = false;
  readonly calls: QueueCalls;

  constructor(engine: QueueEngine, resume: (now: Moment) => Awaitable<boolean>) {
    this.#deps = { engine, claims: new Claims(), turns: new Turns(engine) };
    this.#resume = resume;
    this.#ending = ending(this.#deps);
    const claim = claiming(this.#deps);
    const sweep = sweeping<OverEvent, Moment>({
      overdue: engine.overdue,
      onRollback: engine.onRollback,
      ...this.#ending,
    });
    const { settleBatch, releaseBatch } = settling(this.#deps);
    this.calls = {
      claimBatches: async (args, now) =>
        (await this.#whenResumed(now)) ? claim(args, now) : { claims: [], nextDueInMs: 0, finished: [] },
      settleBatch,
      releaseBatch: async (args) => releaseBatch(args),
      expireOverdue: async (args, now) =>
        (await this.#whenResumed(now)) ? sweep(args, now) : { finished: [], more: true },
      retryDeadLetters: async () => retriedOf(await this.#bringBackAll()),
    };
  }

  get claims(): Claims {
    return this.#deps.claims;
  }

  get turns(): Turns {
    return this.#deps.turns;
  }

  /** Ends some waiting pushes of a cancelled event. Returns whether that was all. */
  async endSome(event: OverEvent, now: Moment): Promise<boolean> {
    return !(await this.#ending.endCarefully(event, ENDINGS_PER_CALL, now)).isLeft;
  }

  async #whenResumed(now: Moment): Promise<boolean> {
    if (this.#isResumed) return true;
    await this.#bringBackAll();
    this.#isResumed = await this.#resume(now);
    this.#deps.engine.onRollback(() => {
      this.#isResumed = false;
    });
    return this.#isResumed;
  }

  /** Returns all dead letters to their lanes, where claims find them. */
  async #bringBackAll(): Promise<readonly FanOutKey[]> {
    const { engine, turns } = this.#deps;
    const keys = await engine.bringBack(null);
    for (const key of keys) turns.of(key, key.workspaceId).begun.add(key.eventId);
    return keys;
  }
}
