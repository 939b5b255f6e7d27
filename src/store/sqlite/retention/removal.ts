import type { RemovalDeps } from '../../handlers/retention/purges.ts';
import { ID_LIST, ROUTES_IN_SQL } from '../../sql.ts';

export const REMOVAL: RemovalDeps = {
  limited: (table, _, condition) => `DELETE FROM ${table} WHERE ${condition} LIMIT CAST(:limit AS BIGINT)`,
  queued: {
    fan_out: `route IN (${ROUTES_IN_SQL}) AND lane IN ('urgent', 'standard', 'dead_letter')
      AND (workspace_id, event_id) IN (SELECT workspace_id, id FROM event WHERE id IN ${ID_LIST})`,
    dead_letter: `event_id IN ${ID_LIST}`,
  },
  usage: ['usage', 'workspace_id, month'],
};
