import type { OperationId } from '../contract/operations.ts';
import { byToken } from './auth/by-token.ts';
import type { BareContext, Handler } from './request-state.ts';
import { getConnection } from './routes/connection.ts';
import { patchChannel, postChannel } from './routes/dashboard/channels.ts';
import { getKeys, postKey, postRevocation, postRotation } from './routes/dashboard/keys.ts';
import { deleteMember, getMembers, getMembersDevices, patchMember } from './routes/dashboard/members.ts';
import { getWorkspaceStats, getWorkspaceUsage } from './routes/dashboard/statistics.ts';
import { deleteDevice, getDevices, patchDevice, postDevice, postTest } from './routes/devices.ts';
import { getEvent, postEvent } from './routes/events.ts';
import { getEvents, getReachedChannels } from './routes/events-list.ts';
import { getHealth, getReadiness } from './routes/health.ts';
import { getInbox, getInboxEvent } from './routes/inbox.ts';
import { getOpenApi } from './routes/openapi.ts';
import { deleteSession, getSession, postSession, putPassword } from './routes/session.ts';
import { deleteSubscription, getChannels, putSubscription } from './routes/subscriptions.ts';
import { getUsage } from './routes/usage.ts';
import type { Service } from './service.ts';

/** The handler of each operation. One too many or too few does not compile. */
export type Handlers = Readonly<Record<OperationId, Handler>> & { readonly postEvent: Handler<BareContext> };

export function createHandlers(service: Service): Handlers {
  return {
    postEvent: postEvent(service),
    listEvents: byToken({ session: getInbox(service), key: getEvents(service) }),
    listReachedChannels: getReachedChannels(service),
    getEvent: byToken({ session: getInboxEvent(service), key: getEvent(service) }),
    testConnection: getConnection(service),
    getUsage: getUsage(service),
    signIn: postSession(service),
    whoAmI: getSession(service),
    signOut: deleteSession(service),
    changePassword: putPassword(service),
    registerDevice: postDevice(service),
    listDevices: getDevices(service),
    updateDevice: patchDevice(service),
    removeDevice: deleteDevice(service),
    testDevice: postTest(service),
    subscribe: putSubscription(service),
    unsubscribe: deleteSubscription(service),
    listChannels: getChannels(service),
    createChannel: postChannel(service),
    updateChannel: patchChannel(service),
    listKeys: getKeys(service),
    createKey: postKey(service),
    rotateKey: postRotation(service),
    revokeKey: postRevocation(service),
    listMembers: getMembers(service),
    updateMember: patchMember(service),
    removeMember: deleteMember(service),
    listMembersDevices: getMembersDevices(service),
    getWorkspaceUsage: getWorkspaceUsage(service),
    getWorkspaceStats: getWorkspaceStats(service),
    getOpenApi: getOpenApi(service),
    getHealth: getHealth(service),
    getReadiness: getReadiness(service),
  };
}
