import { baseUrlOf } from '../../config/config.ts';
import type { ApiSchema } from '../../contract/api-types.ts';
import {
  createPairingCode,
  OWN_PAIRING_CODE_LIFE_MS,
  PAIRING_CODE_LIFE_MS,
  pairingPage,
} from '../../contract/pairing-code.ts';
import { isRefusal, type StoreClient } from '../../store/calls.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function pairingRoutes({ authenticate, config, manage }: Service) {
  return {
    async pairOwnDevice(context) {
      const { store, user } = await authenticate(context);
      const { text, hash: codeHash } = createPairingCode();
      const args = { email: user.email, codeHash, lifeMs: OWN_PAIRING_CODE_LIFE_MS };
      const made = unwrap(await store.createPairingCode(args), 'not_signed_in');
      return { status: 201, body: shown(config, text, made) };
    },

    async pairMember(context) {
      const { store, workspace } = await manage(context);
      const { code, answer } = await pairing(store, { workspace, email: context.params.email });
      return { status: 201, body: shown(config, code, unwrap(answer, 'member_not_found')) };
    },
  } satisfies Routes;
}

type AskingStore = Pick<StoreClient, 'createPairingCode'>;

/** What comes with a member who was just added, or given more rights; null: they may not be invited any more. */
export async function invitationOf(
  { store, config }: { readonly store: AskingStore; readonly config: Service['config'] },
  workspace: string,
  { email }: { readonly email: string },
): Promise<ApiSchema<'Pairing'> | null> {
  const { code, answer } = await pairing(store, { workspace, email });
  return isRefusal(answer) ? null : shown(config, code, answer);
}

async function pairing(store: AskingStore, member: { readonly workspace: string; readonly email: string }) {
  const { text: code, hash: codeHash } = createPairingCode();
  return { code, answer: await store.createPairingCode({ ...member, codeHash, lifeMs: PAIRING_CODE_LIFE_MS }) };
}

function shown(
  config: Service['config'],
  code: string,
  { expires_at }: { readonly expires_at: string },
): ApiSchema<'Pairing'> {
  return { pairing_code: code, link: pairingPage(baseUrlOf(config), code), expires_at };
}
