import { publicIdOf, type Uuid } from '../../contract/public-id.ts';
import type { AnswerOf, ArgsOf } from '../calls.ts';
import type { Awaitable } from '../sql.ts';

/** Fan-outs and retries that one call may end unsent: a dead backlog cannot block others. */
export const ENDINGS_PER_CALL = 200;
const EVENTS_PER_CALL = 200;

/** An event's place in the order of expiry. */
export interface Position {
  readonly eventId: number;
  readonly expiresAtSteadyMs: number;
}
const BEGINNING: Position = { eventId: 0, expiresAtSteadyMs: 0 };

export interface Ended {
  /** Events without pending pushes. */
  readonly uuids: readonly Uuid[];
  readonly endings: number;
  /** The event has more to end. */
  readonly isLeft: boolean;
}

export interface SweepSteps<Event extends Position, Now> {
  /** Returns the next expired events behind a place, by expiry. `isOver` false: passed over, as a dead letter. */
  overdue(after: Position, most: number, now: Now): Awaitable<readonly (Event & { readonly isOver?: boolean })[]>;
  /** Ends an event's waiting pushes: fan-outs of which nothing is claimed, and up to `most` retries. */
  end(event: Event, most: number, now: Now): Awaitable<Ended>;
  /** The same, but an event that throws becomes a dead letter. */
  endCarefully(event: Event, most: number, now: Now): Awaitable<Ended>;
  /** Registers how to undo a change in memory. */
  onRollback?(undo: () => void): void;
}

/**
 * Ends pushes of expired and cancelled events that no claim would: on paused routes, and of suspended workspaces.
 * Claimed pushes end when settled, or in the next round.
 */
export function sweeping<Event extends Position, Now>(steps: SweepSteps<Event, Now>) {
  let passed = BEGINNING;

  return async ({ isCareful }: ArgsOf<'expireOverdue'>, now: Now): Promise<AnswerOf<'expireOverdue'>> => {
    const before = passed;
    steps.onRollback?.(() => {
      passed = before;
    });
    const finished: string[] = [];
    const overdue = await steps.overdue(passed, EVENTS_PER_CALL, now);
    let left = ENDINGS_PER_CALL;
    for (const event of overdue) {
      if (event.isOver !== false) {
        const { uuids, endings, isLeft } = await steps[isCareful ? 'endCarefully' : 'end'](event, left, now);
        finished.push(...uuids.map(publicIdOf));
        left -= endings;
        if (isLeft) return { finished, more: true };
      }
      passed = event;
      if (left <= 0) return { finished, more: true };
    }
    if (overdue.length < EVENTS_PER_CALL) passed = BEGINNING;
    return { finished, more: passed !== BEGINNING };
  };
}
