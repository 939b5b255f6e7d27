import { parseDurationMs } from '../../../config/units.ts';
import type { QueryOf } from '../../../contract/api-types.ts';
import { fieldProblem } from '../../../contract/details.ts';
import type { Stopped } from '../../../process/finding.ts';
import type { Route } from '../../../push.ts';
import type { RoutePause } from '../../../store/calls.ts';
import { fieldError } from '../../errors.ts';
import { queryReader } from '../../query.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 366;
/** Longer periods are shown by days unless hours are requested. */
const BY_HOUR_UP_TO_MS = 7 * DAY_MS;

const STOPPABLE: readonly Stopped[] = ['events', 'deliveries'];

export function statisticsRoutes({ manage, clock, explain, liveRoutes, findings }: Service) {
  const readPeriod = queryReader('getWorkspaceStats');
  return {
    async getWorkspaceStats(context) {
      const { store, workspace } = await manage(context);
      const { spanMs, by } = periodOf(readPeriod(context));
      const asked = await store.stats({ workspace, sinceMs: clock.wallMs() - spanMs, by });
      const stats = unwrap(asked, 'workspace_not_found');
      const reasons = stats.reasons.map((row) => ({ ...row, ...explained(explain, row.route, row.reason) }));
      const paused = [...(liveRoutes?.() ?? [])].flatMap(([route, { pause }]) =>
        pause === null ? [] : { route, ...withoutWords(pause), ...explained(explain, route, pause.reason) },
      );
      const stopped = await Promise.all(STOPPABLE.map(async (what) => ((await findings.stopping(what)) ? what : [])));
      return { status: 200, body: { stats: { ...stats, reasons }, paused_routes: paused, stopped: stopped.flat() } };
    },
  } satisfies Routes;
}

/** Returns a reason's explanation; null: unknown. */
function explained(explain: Service['explain'], route: Route, reason: string) {
  const { means, remedy } = explain(route, reason) ?? { means: null, remedy: null };
  return { means, remedy };
}

function periodOf({ since = '24h', by }: QueryOf<'getWorkspaceStats'>): { spanMs: number; by: 'hour' | 'day' } {
  const spanMs = parseDurationMs(since);
  if (spanMs === null || spanMs > LONGEST_DAYS * DAY_MS) {
    throw fieldError(fieldProblem('since', 'duration_long', { most: LONGEST_DAYS }));
  }
  return { spanMs, by: by ?? (spanMs > BY_HOUR_UP_TO_MS ? 'day' : 'hour') };
}

/** Removes words with the operator's addresses. */
function withoutWords({ kind, reason, since }: RoutePause): Omit<RoutePause, 'words'> {
  return { kind, reason, since };
}
