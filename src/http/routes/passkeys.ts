import { toTimestamp } from '../../values/timestamp.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError } from '../errors.ts';
import { queryReader } from '../query.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function passkeyRoutes({ passkeys, authenticate }: Service) {
  const checkQuery = queryReader('listPasskeys');
  const readNew = bodyReader('addPasskey');
  return {
    async challengePasskey() {
      const { challenge, endsAtMs } = await passkeys.challenge();
      return { status: 200, body: { challenge, expires_at: toTimestamp(endsAtMs) } };
    },

    async listPasskeys(context) {
      const { store, user, tokenHash } = await authenticate(context);
      checkQuery(context);
      const listed = await store.listPasskeys({ userId: user.id, tokenHash });
      return { status: 200, body: { user_handle: await passkeys.userHandle(user.id), passkeys: listed, next: null } };
    },

    async addPasskey(context) {
      const { store, user, tokenHash } = await authenticate(context);
      const { name, passkey } = await readNew(context);
      const registered = await passkeys.registered(passkey, context.req);
      if (registered === null) throw new ApiError('wrong_passkey');
      const added = await store.addPasskey({ ...registered, userId: user.id, tokenHash, name });
      return { status: 201, body: { passkey: unwrap(added, 'not_signed_in') } };
    },
  } satisfies Routes;
}
