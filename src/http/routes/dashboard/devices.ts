import type { Context, ResponseTo, Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

type Changed = ResponseTo<'subscribeMembersDevice' | 'unsubscribeMembersDevice'>;

export function managedDeviceRoutes({ manage }: Service) {
  /** PUT, DELETE /v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel} */
  async function changeSubscription(context: Context, call: 'subscribeDevice' | 'unsubscribeDevice'): Promise<Changed> {
    const { store, workspace } = await manage(context);
    const { device: id, channel } = context.params;
    unwrap(await store.showDevice({ workspace, id }), 'members_device_not_found');
    unwrap(await store[call]({ workspace, id, channels: [channel] }), 'channel_not_found');
    return { status: 204 };
  }

  return {
    subscribeMembersDevice: (context) => changeSubscription(context, 'subscribeDevice'),
    unsubscribeMembersDevice: (context) => changeSubscription(context, 'unsubscribeDevice'),
  } satisfies Routes;
}
