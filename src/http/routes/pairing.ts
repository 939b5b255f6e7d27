import { baseUrlOf } from '../../config/config.ts';
import {
  createPairingCode,
  OWN_PAIRING_CODE_LIFE_MS,
  PAIRING_CODE_LIFE_MS,
  pairingPage,
} from '../../contract/pairing-code.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { HttpResponse } from '../response.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

export function pairingRoutes(service: Service) {
  return {
    pairOwnDevice: postOwnPairing(service),
    pairMember: postMemberPairing(service),
  } satisfies Routes;
}

/** POST /v1/session/pairing */
function postOwnPairing({ authenticate, config }: Service): Handler {
  return async (context) => {
    const { store, user } = await authenticate(context);
    const { text, hash: codeHash } = createPairingCode();
    const args = { email: user.email, codeHash, lifeMs: OWN_PAIRING_CODE_LIFE_MS };
    return paired(config, text, unwrap(await store.createPairingCode(args), 'not_signed_in'));
  };
}

/** POST /v1/workspaces/{workspace}/members/{email}/pairing */
function postMemberPairing({ manage, config }: Service): Handler {
  return async (context) => {
    const { store, workspace } = await manage(context);
    const { text, hash: codeHash } = createPairingCode();
    const args = { workspace, email: context.params.email, codeHash, lifeMs: PAIRING_CODE_LIFE_MS };
    return paired(config, text, unwrap(await store.createPairingCode(args), 'member_not_found'));
  };
}

function paired(
  config: Service['config'],
  code: string,
  { expires_at }: { readonly expires_at: string },
): HttpResponse {
  return { status: 201, body: { pairing_code: code, link: pairingPage(baseUrlOf(config), code), expires_at } };
}
