import { addressSettings } from '../../config/config.ts';
import type { BrowserSubscription } from '../../contract/addresses/address.ts';
import { addressProblems } from '../../contract/addresses.ts';
import type { Environment, Platform, TokenKind } from '../../push.ts';
import { uuidMaker } from '../acceptance.ts';
import { bodyReader } from '../body/body-fields.ts';
import { eventBody } from '../event-posting.ts';
import { pageReader } from '../query.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

interface DeviceChange {
  readonly token?: string;
  readonly subscription?: BrowserSubscription;
  readonly tokenKind?: TokenKind;
  readonly environment?: Environment;
  readonly app?: string;
  readonly name?: string;
  readonly appVersion?: string;
}

interface DeviceRegistration extends DeviceChange {
  readonly platform: Platform;
  readonly replaces?: string;
}

export function deviceRoutes(service: Service) {
  return {
    registerDevice: postDevice(service),
    listDevices: getDevices(service),
    updateDevice: patchDevice(service),
    removeDevice: deleteDevice(service),
    testDevice: postTest(service),
  } satisfies Routes;
}

/** POST /v1/devices */
function postDevice({ authenticate, config }: Service): Handler {
  const addresses = addressSettings(config);
  const read = bodyReader<DeviceRegistration>('device-registration', {
    rules: (device) => addressProblems(device, addresses),
  });
  return async (context) => {
    const { store, user } = await authenticate(context);
    const answer = await store.registerDevice({ ...(await read(context)), userId: user.id });
    const { device, created } = unwrap(answer, 'not_signed_in');
    return { status: created ? 201 : 200, body: { device } };
  };
}

/** GET /v1/devices */
function getDevices({ authenticate }: Service): Handler {
  const read = pageReader('listDevices', 'limit', 'after');
  return async (context) => {
    const { store, user } = await authenticate(context);
    const page = await store.listOwnDevices({ userId: user.id, ...read(context) });
    return { status: 200, body: unwrap(page, 'device_not_found') };
  };
}

/** PATCH /v1/devices/{device} */
function patchDevice({ authenticate }: Service): Handler {
  const read = bodyReader<DeviceChange>('device-change');
  return async (context) => {
    const { store, user } = await authenticate(context);
    const change = await read(context);
    const device = await store.updateDevice({ ...change, id: context.params.device, userId: user.id });
    return { status: 200, body: { device: unwrap(device, 'device_not_found') } };
  };
}

/** DELETE /v1/devices/{device} */
function deleteDevice({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user } = await authenticate(context);
    unwrap(await store.removeDevice({ id: context.params.device, userId: user.id }), 'device_not_found');
    return { status: 204 };
  };
}

/** POST /v1/devices/{device}/test */
function postTest({ authenticate, throttle, clock }: Service): Handler {
  const newUuid = uuidMaker();
  return async (context) => {
    const { store, user } = await authenticate(context);
    await throttle.tests(context, user.id);
    const args = {
      id: context.params.device,
      userId: user.id,
      uuid: newUuid(clock.wallMs()),
    };
    const { event } = unwrap(await store.testDevice(args), 'device_not_found');
    return { status: 202, body: { event: eventBody(event) } };
  };
}
