import type { DeviceFilter } from '../../../store/calls/devices.ts';
import { PAGE, queryReader } from '../../query.ts';
import type { Handler, Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

interface DevicesQuery extends DeviceFilter {
  readonly member?: string;
  readonly after?: string;
  readonly limit?: number;
}

export function managedDeviceRoutes(service: Service) {
  return {
    listMembersDevices: getDevices(service),
    showMembersDevice: getDevice(service),
    subscribeMembersDevice: changeSubscription(service, 'subscribeDevice'),
    unsubscribeMembersDevice: changeSubscription(service, 'unsubscribeDevice'),
  } satisfies Routes;
}

/** GET /v1/workspaces/{workspace}/devices */
function getDevices({ manage }: Service): Handler {
  const read = queryReader<DevicesQuery>('listMembersDevices');
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { member: email, limit = PAGE, ...asked } = read(context);
    const page = await store.listDevices({ workspace, limit, ...asked, ...(email !== undefined && { email }) });
    return { status: 200, body: unwrap(page, email === undefined ? 'channel_not_found' : 'member_not_found') };
  };
}

/** GET /v1/workspaces/{workspace}/devices/{device} */
function getDevice({ manage }: Service): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    const device = await store.showDevice({ workspace, id: context.params.device });
    return { status: 200, body: { device: unwrap(device, 'members_device_not_found') } };
  };
}

/** PUT, DELETE /v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel} */
function changeSubscription({ manage }: Service, call: 'subscribeDevice' | 'unsubscribeDevice'): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { device: id, channel } = context.params;
    unwrap(await store.showDevice({ workspace, id }), 'members_device_not_found');
    unwrap(await store[call]({ workspace, id, channels: [channel] }), 'channel_not_found');
    return { status: 204 };
  };
}
