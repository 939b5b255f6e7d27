import { addressProblems, type DeviceAddress } from '../../contract/device-token.ts';
import type { Environment, Platform, TokenKind } from '../../push.ts';
import type { NewDevice } from '../../store/calls.ts';
import type { JsonObject } from '../body/read-json.ts';
import { bodyReader } from '../body/session-body.ts';
import { uuidMaker } from '../event-uuid.ts';
import { pageReader } from '../query.ts';
import type { Handler } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';
import { recordOf } from './events.ts';

interface DeviceChange {
  readonly token?: string;
  readonly token_kind?: TokenKind;
  readonly environment?: Environment;
  readonly name?: string;
  readonly app_version?: string;
}

interface DeviceRegistration extends DeviceChange {
  readonly platform: Platform;
  readonly token: string;
}

/** POST /v1/devices */
export function postDevice({ authenticate }: Service): Handler {
  const read = bodyReader<DeviceRegistration>('device-registration', { rules: wrongAddress });
  return async (context) => {
    const { store, user } = await authenticate(context);
    const { platform, token, ...more } = await read(context);
    const given = { platform, token, ...fieldsOf(more) };
    const answer = await store.registerDevice({ ...given, userId: user.id });
    const { device, created } = unwrap(answer, 'not_signed_in');
    return { status: created ? 201 : 200, body: { device } };
  };
}

/** GET /v1/devices */
export function getDevices({ authenticate }: Service): Handler {
  const read = pageReader();
  return async (context) => {
    const { store, user } = await authenticate(context);
    const { limit, after } = read(context);
    const page = await store.listOwnDevices({ userId: user.id, limit, ...(after !== undefined && { after }) });
    return { status: 200, body: unwrap(page, 'device_not_found') };
  };
}

/** PATCH /v1/devices/{device} */
export function patchDevice({ authenticate }: Service): Handler {
  const read = bodyReader<DeviceChange>('device-change');
  return async (context) => {
    const { store, user } = await authenticate(context);
    const { token, ...more } = await read(context);
    const change = { ...fieldsOf(more), ...(token !== undefined && { token }) };
    const id = context.params.device;
    const device = await store.updateDevice({ ...change, id, userId: user.id });
    return { status: 200, body: { device: unwrap(device, 'device_not_found') } };
  };
}

/** DELETE /v1/devices/{device} */
export function deleteDevice({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user } = await authenticate(context);
    unwrap(await store.removeDevice({ id: context.params.device, userId: user.id }), 'device_not_found');
    return { status: 204 };
  };
}

/** POST /v1/devices/{device}/test */
export function postTest({ authenticate, throttle, clock }: Service): Handler {
  const newUuid = uuidMaker();
  return async (context) => {
    const { store, user } = await authenticate(context);
    throttle.tests(context, user.id);
    const args = {
      id: context.params.device,
      userId: user.id,
      uuid: newUuid(clock.wallMs()),
    };
    const { event } = unwrap(await store.testDevice(args), 'device_not_found');
    return { status: 202, body: { event: recordOf(event) } };
  };
}

function wrongAddress(body: JsonObject) {
  const { platform, environment, token_kind: tokenKind, token } = body;
  return addressProblems({ platform, environment, tokenKind, token } as DeviceAddress);
}

/** What was sent of a device, in the names of the store. */
function fieldsOf({
  token_kind: tokenKind,
  app_version: appVersion,
  environment,
  name,
}: DeviceChange): Partial<NewDevice> {
  return {
    ...(tokenKind !== undefined && { tokenKind }),
    ...(appVersion !== undefined && { appVersion }),
    ...(environment !== undefined && { environment }),
    ...(name !== undefined && { name }),
  };
}
