import { packageVersion } from '../../process/package.ts';
import { sharedHandlers } from '../handlers/assembly.ts';
import type { CallHandlers } from '../handlers/handler.ts';
import { cleanupJobs } from '../handlers/retention/cleanup-jobs.ts';
import { STEP_ROWS } from '../handlers/retention/purges.ts';
import { retriedOf } from '../queue/dead-letter.ts';
import type { StoreSettings } from '../settings.ts';
import type { AssumedSounds } from './accept/assumed-sounds.ts';
import { postingOwn } from './accept/own-events.ts';
import { acceptWithinChanges } from './accept/within-changes.ts';
import type { Connection } from './connections.ts';
import { listsInOrder } from './lists.ts';
import { bringBack } from './queue/dead-letters.ts';
import { measuring, waitingByRoute } from './queue/measuring.ts';
import { cancellingInQueue } from './queue/sweeping.ts';
import { REMOVAL } from './retention/removal.ts';
import { retention } from './retention/retention.ts';
import { importDeps } from './staged-lines.ts';

export function assembleHandlers(
  connection: Connection,
  settings: StoreSettings,
  nodeOf: () => number,
  sounds: AssumedSounds,
): Partial<CallHandlers> {
  const { sql } = connection;
  const accepting = acceptWithinChanges(connection, settings, nodeOf, sounds);
  const cleanUp = cleanupJobs(sql, REMOVAL);
  return {
    ...sharedHandlers(sql, settings, {
      acceptEvent: accepting.acceptEvent,
      testDevice: accepting.testDevice,
      postOwn: postingOwn(connection, settings),
      imports: importDeps(sql),
      nodeOf,
      lists: listsInOrder(sql),
      waitingByRoute: waitingByRoute(connection),
      cleanUp: (rows = 0) => cleanUp(Math.max(0, STEP_ROWS - rows)),
    }),
    ...health(connection),
    ...accepting,
    ...cancellingInQueue(connection),
    retryDeadLetters: async () => retriedOf(await bringBack(sql)),
    ...measuring(connection),
    ...retention(sql, settings),
  };
}

function health({ sql }: Connection): Pick<CallHandlers, 'ping'> {
  const version = packageVersion();
  const schema = sql.value<object, number>('SELECT version FROM pushctl_schema');
  return { ping: async () => ({ version, schema: (await schema({})) ?? 0, displaced: null }) };
}
