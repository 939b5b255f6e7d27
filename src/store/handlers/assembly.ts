import type { StoreSettings } from '../settings.ts';
import type { Sql } from '../sql.ts';
import { alertChanges } from './alerts/changes.ts';
import { alertReading } from './alerts/reading.ts';
import { alertReassigning } from './alerts/reassigning.ts';
import { alertRounds } from './alerts/rounds.ts';
import { alertUndoing } from './alerts/undoing.ts';
import { audit } from './audit.ts';
import { channels } from './channels.ts';
import { deviceChanges } from './devices/changes.ts';
import { deviceExports, devicePages } from './devices/device-pages.ts';
import { devices } from './devices/devices.ts';
import { imports } from './devices/imports.ts';
import { ownDeviceLists, ownDevices, ownSubscriptions } from './devices/own-devices.ts';
import { receipts } from './devices/receipts.ts';
import { subscribers } from './devices/subscribers.ts';
import { endedAlerts } from './events/ended-alerts.ts';
import { events } from './events/events.ts';
import { inbox } from './events/inbox.ts';
import { eventLists, memberEvents, reading, waitingEvents } from './events/lists.ts';
import { readMarks } from './events/read-marks.ts';
import { releases } from './events/releases.ts';
import { resends } from './events/resends.ts';
import { watching } from './events/watching.ts';
import type { EngineDeps } from './handler.ts';
import { heartbeats, heartbeatsByKey } from './heartbeats/heartbeats.ts';
import { pings, tending } from './heartbeats/pings.ts';
import { keys, rotation } from './keys/keys.ts';
import { maintenance } from './maintenance/maintenance.ts';
import { handovers } from './on-call/handovers.ts';
import { onCall } from './on-call/on-call.ts';
import { onCallReading } from './on-call/reading.ts';
import { passkeys, passwords } from './people/credentials.ts';
import { identities } from './people/identities.ts';
import { memberPages, members } from './people/members.ts';
import { pairingCodes } from './people/pairing-codes.ts';
import { sessions } from './people/sessions.ts';
import { usage } from './quotas.ts';
import { routeStates, routes } from './routes.ts';
import { signedTokens, vapidKey } from './signing.ts';
import { stats } from './stats.ts';
import { storedStates } from './stored-status.ts';
import { outbox } from './webhooks/outbox.ts';
import { webhooks } from './webhooks/webhooks.ts';
import { plans, workspaces } from './workspaces.ts';

/** Collects all calls that are portable SQL, from their nouns' modules. */
export function sharedHandlers(sql: Sql, settings: StoreSettings, deps: EngineDeps) {
  return {
    ...alertReading(sql),
    ...alertChanges(sql, deps),
    ...alertUndoing(sql, deps),
    ...alertReassigning(sql, settings, deps),
    ...alertRounds(sql, settings, deps),
    ...routeStates(sql),
    ...routes(sql),
    ...vapidKey(sql),
    ...signedTokens(sql),
    ...events(sql, settings),
    ...eventLists(sql, deps.lists),
    ...memberEvents(sql, settings, deps.lists),
    ...resends(sql, settings, deps),
    ...releases(sql, deps),
    ...usage(sql),
    ...reading(sql, deps.lists),
    ...endedAlerts(sql),
    ...stats(sql, deps),
    ...storedStates(sql),
    ...watching(sql, settings),
    ...waitingEvents(sql),
    ...workspaces(sql, deps),
    ...plans(sql),
    ...channels(sql, settings, deps),
    ...subscribers(sql),
    ...keys(sql, settings),
    ...rotation(sql, settings),
    ...heartbeats(sql, settings, deps),
    ...heartbeatsByKey(sql, settings, deps),
    ...pings(sql, deps),
    ...tending(sql, deps),
    ...maintenance(sql, deps),
    ...onCall(sql),
    ...onCallReading(sql),
    ...handovers(sql, deps),
    ...webhooks(sql),
    ...outbox(sql, deps.nodeOf),
    ...members(sql, settings, deps),
    ...memberPages(sql),
    ...sessions(sql, settings),
    ...identities(sql),
    ...pairingCodes(sql, settings),
    ...passkeys(sql),
    ...passwords(sql),
    ...devices(sql, settings),
    ...devicePages(sql),
    ...deviceChanges(sql),
    ...deviceExports(sql),
    ...imports(sql, settings, deps.imports),
    ...ownDevices(sql, settings),
    ...ownDeviceLists(sql),
    ...ownSubscriptions(sql),
    ...receipts(sql, deps),
    ...inbox(sql, deps.lists),
    ...readMarks(sql, deps.lists),
    ...audit(sql),
  };
}
