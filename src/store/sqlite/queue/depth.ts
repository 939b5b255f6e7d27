import { LANES, type Lane, ROUTES, type Route } from '../../../push.ts';
import type { QueueDepth } from '../../calls.ts';
import type { Db, Handlers } from '../transaction.ts';

const WAITING = `SELECT route, lane, sum(targeted - recorded) AS count FROM fan_out GROUP BY route, lane`;
const DEFERRED = `SELECT route, lane, count(*) AS count FROM delivery WHERE state = 'pending' GROUP BY route, lane`;

interface LaneCount {
  readonly route: Route;
  readonly lane: Lane;
  readonly count: number;
}

/** How long the queue is. It goes through all that waits, so the store thread is never asked (`offThread`). */
export function queueDepth(db: Db): Handlers<'queueDepth'> {
  const waiting = db.prepare<[], LaneCount>(WAITING);
  const deferred = db.prepare<[], LaneCount>(DEFERRED);

  return {
    queueDepth() {
      const [fresh, retried] = [waiting.all(), deferred.all()];
      return ROUTES.flatMap((route) =>
        LANES.map((lane): QueueDepth => {
          const of = (counts: readonly LaneCount[]) =>
            counts.find((one) => one.route === route && one.lane === lane)?.count ?? 0;
          return { route, lane, waiting: of(fresh), deferred: of(retried) };
        }),
      );
    },
  };
}
