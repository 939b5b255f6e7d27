import { queryReader } from '../../query.ts';
import type { Context, ResponseTo, Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

type Changed = ResponseTo<'subscribeMembersDevice' | 'unsubscribeMembersDevice'>;

export function managedDeviceRoutes({ manage }: Service) {
  const read = queryReader('listMembersDevices');

  /** PUT, DELETE /v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel} */
  async function changeSubscription(context: Context, call: 'subscribeDevice' | 'unsubscribeDevice'): Promise<Changed> {
    const { store, workspace } = await manage(context);
    const { device: id, channel } = context.params;
    unwrap(await store.showDevice({ workspace, id }), 'members_device_not_found');
    unwrap(await store[call]({ workspace, id, channels: [channel] }), 'channel_not_found');
    return { status: 204 };
  }

  return {
    async listMembersDevices(context) {
      const { store, workspace } = await manage(context);
      const { member: email, ...asked } = read(context);
      const page = await store.listDevices({ workspace, ...asked, ...(email !== undefined && { email }) });
      return { status: 200, body: unwrap(page, email === undefined ? 'channel_not_found' : 'member_not_found') };
    },

    subscribeMembersDevice: (context) => changeSubscription(context, 'subscribeDevice'),
    unsubscribeMembersDevice: (context) => changeSubscription(context, 'unsubscribeDevice'),
  } satisfies Routes;
}
