import { toTimestamp } from '../../timestamp.ts';
import type { PasskeyJson } from '../auth/passkeys.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError } from '../errors.ts';
import { queryReader } from '../query.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

interface NewPasskey {
  readonly name: string;
  readonly passkey: PasskeyJson;
}

export function passkeyRoutes(service: Service) {
  return {
    challengePasskey: postChallenge(service),
    listPasskeys: getPasskeys(service),
    addPasskey: postPasskey(service),
    removePasskey: deletePasskey(service),
  } satisfies Routes;
}

/** POST /v1/passkeys/challenge */
function postChallenge({ passkeys }: Service): Handler {
  return async () => {
    const { challenge, endsAtMs } = await passkeys.challenge();
    return { status: 200, body: { challenge, expires_at: toTimestamp(endsAtMs) } };
  };
}

/** GET /v1/passkeys */
function getPasskeys({ authenticate, passkeys }: Service): Handler {
  const read = queryReader('listPasskeys');
  return async (context) => {
    const { store, user, tokenHash } = await authenticate(context);
    read(context);
    const listed = await store.listPasskeys({ userId: user.id, tokenHash });
    return { status: 200, body: { user_handle: await passkeys.userHandle(user.id), passkeys: listed, next: null } };
  };
}

/** POST /v1/passkeys */
function postPasskey({ authenticate, passkeys }: Service): Handler {
  const read = bodyReader<NewPasskey>('passkey-request');
  return async (context) => {
    const { store, user, tokenHash } = await authenticate(context);
    const { name, passkey } = await read(context);
    const registered = await passkeys.registered(passkey, context.req);
    if (registered === null) throw new ApiError('wrong_passkey');
    const added = await store.addPasskey({ ...registered, userId: user.id, tokenHash, name });
    return { status: 201, body: { passkey: unwrap(added, 'not_signed_in') } };
  };
}

/** DELETE /v1/passkeys/{passkey} */
function deletePasskey({ authenticate }: Service): Handler {
  return async (context) => {
    const { store, user, tokenHash } = await authenticate(context);
    const { passkey: id } = context.params;
    unwrap(await store.removePasskey({ userId: user.id, tokenHash, id }), 'passkey_not_found');
    return { status: 204 };
  };
}
