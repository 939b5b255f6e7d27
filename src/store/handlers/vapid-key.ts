import { createECDH } from 'node:crypto';
import type { VapidKeys } from '../../push.ts';
import type { Sql } from '../sql.ts';
import type { SomeHandlers } from './handler.ts';

const FIND = 'SELECT public_key AS "publicKey", private_key AS "privateKey" FROM vapid_key WHERE id = 1';

const KEEP = `
  INSERT INTO vapid_key (id, public_key, private_key, made_at) VALUES (1, :publicKey, :privateKey, :wallMs)
  ON CONFLICT (id) DO NOTHING`;

const PRIVATE_KEY_BYTES = 32;

/** The installation's Web Push key pair. Never changed or removed. */
export function vapidKey(sql: Sql) {
  const find = sql.get<object, VapidKeys>(FIND);
  const keep = sql.run<VapidKeys & { wallMs: number }>(KEEP);

  async function keys(wallMs: number): Promise<VapidKeys> {
    const kept = await find({});
    if (kept !== undefined) return kept;
    const made = newKeys();
    await keep({ ...made, wallMs });
    return made;
  }

  return {
    vapidKeys: (_, { wallMs }) => keys(wallMs),
    showWebPushKey: async (_, { wallMs }) => ({ public_key: (await keys(wallMs)).publicKey }),
  } satisfies SomeHandlers;
}

function newKeys(): VapidKeys {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys('base64url');
  // Node omits a private key's leading zeros.
  const bytes = pair.getPrivateKey();
  const privateKey = Buffer.concat([Buffer.alloc(PRIVATE_KEY_BYTES - bytes.length), bytes]).toString('base64url');
  return { publicKey, privateKey };
}
