import { connection } from '../api/connection.ts';
import { times } from '../format/time.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';

/** Says what is the matter while the server cannot be reached. What was loaded stays to be read. */
export function ConnectionBanner() {
  const why = useShared(connection.trouble);
  const lostAtMs = useShared(connection.lostAtMs);
  const at = lostAtMs === null ? null : times.since(lostAtMs, Date.now());
  return (
    <div role="status">
      {why !== null && (
        <p class="banner">
          {common.problems[why]} {at !== null && common.problems.shownFrom(at)}
        </p>
      )}
    </div>
  );
}
