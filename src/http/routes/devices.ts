import { uuidMaker } from '../acceptance.ts';
import { eventBody } from '../event-posting.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function deviceRoutes({ authenticate, config, throttle, clock }: Service) {
  const newUuid = uuidMaker();
  return {
    async testDevice(context) {
      const { store, user } = await authenticate(context);
      await throttle.tests(context, user.id);
      const args = { id: context.params.device, userId: user.id, uuid: newUuid(clock.wallMs()) };
      const { event } = unwrap(await store.testDevice(args), 'device_not_found');
      return { status: 202, body: { event: eventBody(event) } };
    },

    async showWebPush(context) {
      const { store } = await authenticate(context);
      const { public_key } = await store.showWebPushKey({});
      return { status: 200, body: { public_key, contact_configured: config.webpush !== null } };
    },
  } satisfies Routes;
}
