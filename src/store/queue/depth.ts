import { LANES, ROUTES } from '../../push.ts';
import type { QueueDepth } from '../calls.ts';

/** Sums counts by lane, in the order of routes and lanes. */
export function depthOf(counts: readonly QueueDepth[]): readonly QueueDepth[] {
  const byLane = Map.groupBy(counts, ({ route, lane }) => `${route} ${lane}`);
  return ROUTES.flatMap((route) =>
    LANES.map((lane) => {
      const found = byLane.get(`${route} ${lane}`) ?? [];
      const sum = (of: 'waiting' | 'deferred') => found.reduce((total, count) => total + count[of], 0);
      return { route, lane, waiting: sum('waiting'), deferred: sum('deferred') };
    }),
  );
}
