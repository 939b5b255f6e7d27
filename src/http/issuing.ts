import { randomBytes } from 'node:crypto';
import { baseUrlOf, type Config } from '../config/config.ts';
import { createApiKey } from '../contract/api-key.ts';
import {
  createPairingCode,
  OWN_PAIRING_CODE_LIFE_MS,
  PAIRING_CODE_LIFE_MS,
  pairingPage,
} from '../contract/pairing-code.ts';
import { createDeviceToken } from '../contract/secret-token.ts';
import { newWebhookSecret } from '../contract/webhooks.ts';

/** How long a replaced key or secret still works. */
const GRACE_MS = 86_400_000;

type BaseUrl = Parameters<typeof baseUrlOf>[0];
type Web = Pick<Config, 'web'>;

/** Issued secrets: the stored part (`args`), and the part shown once. */
export const ISSUES = {
  key() {
    const { id, secretHash, text } = createApiKey(randomBytes);
    return { args: { id, secretHash }, shown: { key: text } };
  },
  next_key() {
    const { id: newId, secretHash, text } = createApiKey(randomBytes);
    return { args: { newId, secretHash, graceMs: GRACE_MS }, shown: { key: text } };
  },
  webhook_secret() {
    const secret = newWebhookSecret(randomBytes);
    return { args: { secret }, shown: { secret } };
  },
  next_webhook_secret() {
    const secret = newWebhookSecret(randomBytes);
    return { args: { secret, graceMs: GRACE_MS }, shown: { secret } };
  },
  device_token({ web }: Web) {
    const token = web.receipts ? createDeviceToken(randomBytes) : null;
    return { args: { deviceTokenHash: token?.tokenHash ?? null }, shown: { device_token: token?.text ?? null } };
  },
  pairing_code: (config: BaseUrl) => issuePairingCode(config, PAIRING_CODE_LIFE_MS),
  own_pairing_code: (config: BaseUrl) => issuePairingCode(config, OWN_PAIRING_CODE_LIFE_MS),
};

export type Issued<Kind extends keyof typeof ISSUES> = ReturnType<(typeof ISSUES)[Kind]>;

function issuePairingCode(config: BaseUrl, lifeMs: number) {
  const { text, hash: codeHash } = createPairingCode();
  return { args: { codeHash, lifeMs }, shown: { pairing_code: text, link: pairingPage(baseUrlOf(config), text) } };
}
