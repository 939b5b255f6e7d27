import type { OwnSubscription, Refusal } from '../../store/calls.ts';
import { bodyReader } from '../body/body-fields.ts';
import type { Context, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function subscriptionRoutes({ authenticate }: Service) {
  const readMute = bodyReader('subscribe');
  return {
    async subscribe(context) {
      const { store, user } = await authenticate(context);
      requireFound(await store.subscribe({ ...subscriptionIn(context, user.id), ...(await readMute(context)) }));
      return { status: 204 };
    },

    async unsubscribe(context) {
      const { store, user } = await authenticate(context);
      requireFound(await store.unsubscribe(subscriptionIn(context, user.id)));
      return { status: 204 };
    },
  } satisfies Routes;
}

function subscriptionIn({ params }: Context, userId: number): OwnSubscription {
  return { userId, deviceId: params.device, workspace: params.workspace, channel: params.channel };
}

/** Throws what says whether it was the device that is missing, or the channel. */
function requireFound(answer: null | Refusal): void {
  unwrap(answer, answer?.field === 'device' ? 'device_not_found' : 'own_channel_not_found');
}
