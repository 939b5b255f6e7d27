import { queueDepth, waitingByRoute } from '../sqlite/queue/measuring.ts';
import { sqlOver } from '../sqlite/sql.ts';
import type { Db } from '../sqlite/transaction.ts';
import { alertReading } from '../verbs/alerts/reading.ts';
import { devicePages } from '../verbs/devices/device-pages.ts';
import { listsOneByOne } from '../verbs/events/event-pages.ts';
import { events } from '../verbs/events/events.ts';
import { inbox } from '../verbs/events/inbox.ts';
import { eventLists } from '../verbs/events/lists.ts';
import { reading } from '../verbs/events/reached-by-key.ts';
import { waitingEvents } from '../verbs/events/waiting.ts';
import { routeStates } from '../verbs/routes.ts';
import { stats } from '../verbs/stats.ts';
import { storedStates } from '../verbs/stored-status.ts';

/** What the thread beside the store's answers: every call that says `offThread`. */
export function readingVerbs(db: Db) {
  const sql = sqlOver(db);
  const lists = listsOneByOne(sql);
  return {
    ...stats(sql, { waitingByRoute: waitingByRoute(sql) }),
    ...storedStates(sql),
    ...queueDepth(db),
    ...routeStates(sql),
    ...inbox(sql, lists),
    ...eventLists(sql, lists),
    ...events(sql),
    ...devicePages(sql),
    ...reading(sql, lists),
    ...waitingEvents(sql),
    ...alertReading(sql),
  };
}
