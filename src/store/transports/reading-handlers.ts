import { alertReading } from '../handlers/alerts/reading.ts';
import { audit } from '../handlers/audit.ts';
import { devicePages } from '../handlers/devices/device-pages.ts';
import { ownDeviceLists } from '../handlers/devices/own-devices.ts';
import { subscribers } from '../handlers/devices/subscribers.ts';
import { listsOneByOne } from '../handlers/events/event-pages.ts';
import { events } from '../handlers/events/events.ts';
import { inbox } from '../handlers/events/inbox.ts';
import { eventLists, memberEvents, reading, waitingEvents } from '../handlers/events/lists.ts';
import { onCallReading } from '../handlers/on-call/reading.ts';
import { memberPages } from '../handlers/people/members.ts';
import { routeStates } from '../handlers/routes.ts';
import { stats } from '../handlers/stats.ts';
import { storedStates } from '../handlers/stored-status.ts';
import { queueDepth, waitingByRoute } from '../sqlite/queue/measuring.ts';
import { sqlOver } from '../sqlite/sql.ts';
import type { Db } from '../sqlite/transaction.ts';

export type ReadingSettings = Parameters<typeof events>[1];

/** Returns the handlers of all `offThread` calls, for the other thread. */
export function readingHandlers(db: Db, settings: ReadingSettings) {
  const sql = sqlOver(db);
  const lists = listsOneByOne(sql);
  return {
    ...stats(sql, { waitingByRoute: waitingByRoute(sql) }),
    ...storedStates(sql),
    ...queueDepth(db),
    ...routeStates(sql),
    ...inbox(sql, lists),
    ...eventLists(sql, lists),
    ...memberEvents(sql, settings, lists),
    ...events(sql, settings),
    ...devicePages(sql),
    ...ownDeviceLists(sql),
    ...subscribers(sql),
    ...memberPages(sql),
    ...audit(sql),
    ...reading(sql, lists),
    ...waitingEvents(sql),
    ...alertReading(sql),
    ...onCallReading(sql),
  };
}
