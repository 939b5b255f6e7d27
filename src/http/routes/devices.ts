import { addressSettings } from '../../config/config.ts';
import { addressProblems } from '../../contract/addresses.ts';
import { uuidMaker } from '../acceptance.ts';
import { bodyReader } from '../body/body-fields.ts';
import { eventBody } from '../event-posting.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function deviceRoutes({ authenticate, config, throttle, clock }: Service) {
  const addresses = addressSettings(config);
  const readRegistration = bodyReader('registerDevice', (device) => addressProblems(device, addresses));
  const newUuid = uuidMaker();
  return {
    async registerDevice(context) {
      const { store, user } = await authenticate(context);
      const answer = await store.registerDevice({ ...(await readRegistration(context)), userId: user.id });
      const { device, created } = unwrap(answer, 'not_signed_in');
      return { status: created ? 201 : 200, body: { device } };
    },

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
