import type { Moment } from '../../../process/clock.ts';
import { cancelling } from '../../handlers/events/cancelling.ts';
import type { Handlers } from '../../handlers/handler.ts';
import { claiming } from '../../queue/claiming.ts';
import { Claims } from '../../queue/claims.ts';
import { type BroughtBack, retriedOf } from '../../queue/dead-letter.ts';
import type { EventKey } from '../../queue/fan-out-pages.ts';
import type { QueueDeps } from '../../queue/planning.ts';
import { settling } from '../../queue/settling.ts';
import { ENDINGS_PER_CALL, sweeping } from '../../queue/sweep.ts';
import { Turns } from '../../queue/turns.ts';
import type { StoreSettings } from '../../settings.ts';
import { sqlOver } from '../sql.ts';
import type { Db, SyncHandlers, TransactionHooks } from '../transaction.ts';
import { ending } from './ending.ts';
import { engineOver, type OverEvent, type SqliteQueueEngine } from './engine.ts';
import { queueAge } from './measuring.ts';
import { resuming } from './resume.ts';
import { watchQueue } from './watching.ts';

type QueueCalls = Handlers<'claimBatches' | 'settleBatch' | 'releaseBatch' | 'expireOverdue' | 'retryDeadLetters'>;

/**
 * The relay's queue: claims, sends, settles. The first claim or sweep takes over the last process's queue (`resume`, a
 * part per call, which returns whether it is done); other commands do not.
 */
export class Queue {
  readonly #deps: QueueDeps & { readonly engine: SqliteQueueEngine };
  readonly #resume: (now: Moment) => boolean;
  readonly #ending: ReturnType<typeof ending>;
  #isResumed = false;
  readonly calls: QueueCalls;

  constructor(engine: SqliteQueueEngine, resume: (now: Moment) => boolean) {
    this.#deps = { engine, claims: new Claims(), turns: new Turns(engine) };
    this.#resume = resume;
    this.#ending = ending(this.#deps);
    const claim = claiming(this.#deps);
    const sweep = sweeping<OverEvent, Moment>({
      overdue: engine.overdue,
      onRollback: engine.onRollback,
      ...this.#ending,
    });
    const { settleBatches, releaseBatch } = settling(this.#deps);
    this.calls = {
      claimBatches: async (args, now) =>
        (await this.#whenResumed(now)) ? claim(args, now) : { claims: [], nextDueInMs: 0, finished: [] },
      settleBatch: async (args, now) => (await settleBatches([args], now, args.isCareful))[0] ?? { finished: [] },
      releaseBatch: async (args) => releaseBatch(args),
      expireOverdue: async (args, now) =>
        (await this.#whenResumed(now)) ? sweep(args, now) : { finished: [], more: true },
      retryDeadLetters: async () => retriedOf(this.#bringBackSome()),
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
    if (this.#bringBackSome().isMore) return false;
    this.#isResumed = this.#resume(now);
    this.#deps.engine.onRollback(() => {
      this.#isResumed = false;
    });
    return this.#isResumed;
  }

  /** Returns dead letters to their lanes, where claims find them. */
  #bringBackSome(): BroughtBack<EventKey> {
    const { engine, turns } = this.#deps;
    const back = engine.bringBack(null);
    for (const key of back.keys) turns.of(key, key.workspaceId).begun.add(key.eventId);
    return back;
  }
}

const OVER = `
  SELECT id AS eventId, workspace_id AS workspaceId, channel_id AS channelId, urgency, expires_at AS expiresAtSteadyMs,
    1 AS isCancelled
  FROM event WHERE id = ? AND cancelled_at IS NOT NULL`;

/** The queue over SQLite, whose calls end within their transaction. */
export function queue(
  db: Db,
  settings: StoreSettings,
  hooks: TransactionHooks,
): QueueCalls & Handlers<'cancelEvent' | 'continueCancel'> & SyncHandlers<'queueAge'> {
  const engine = engineOver(db, hooks);
  const kept = new Queue(engine, resuming(db, settings, engine));
  const over = db.prepare<[number], OverEvent>(OVER);
  watchQueue(db, kept, hooks);
  return {
    ...kept.calls,
    ...cancelling(sqlOver(db), async (id: number, now: Moment) => {
      const event = over.get(id);
      return event === undefined || kept.endSome(event, now);
    }),
    queueAge: queueAge(db, engine, kept.claims),
  };
}
