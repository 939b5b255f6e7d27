import { createECDH } from 'node:crypto';
import type { VapidKeys } from '../../push.ts';
import type { SignedToken } from '../calls.ts';
import type { Sql } from '../sql.ts';
import type { SomeHandlers } from './handler.ts';

const FIND_VAPID = 'SELECT public_key AS "publicKey", private_key AS "privateKey" FROM vapid_key WHERE id = 1';

const KEEP = `
  INSERT INTO vapid_key (id, public_key, private_key, made_at) VALUES (1, :publicKey, :privateKey, :wallMs)
  ON CONFLICT (id) DO NOTHING`;

const PRIVATE_KEY_BYTES = 32;

/** The installation's Web Push key pair. Never changed or removed. */
export function vapidKey(sql: Sql) {
  const find = sql.get<object, VapidKeys>(FIND_VAPID);
  const keep = sql.run<VapidKeys & { wallMs: number }>(KEEP);

  async function keys(wallMs: number): Promise<VapidKeys> {
    const kept = await find({});
    if (kept !== undefined) return kept;
    const made = newKeys();
    await keep({ ...made, wallMs });
    return made;
  }

  return {
    findVapidKeys: async () => (await find({})) ?? null,
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

const FIND_TOKEN = `
  SELECT token, signed_at AS "signedAtMs", stored_at AS "storedAtMs", is_accepted AS "isAccepted"
  FROM signed_token WHERE name = :name`;

/** The second of two simultaneous offers finds the first's token. */
const PUT = `
  INSERT INTO signed_token (name, token, signed_at, stored_at, is_accepted)
  VALUES (:name, :token, :signedAtMs, :wallMs, 0)
  ON CONFLICT (name) DO UPDATE
  SET token = excluded.token, signed_at = excluded.signed_at, stored_at = excluded.stored_at, is_accepted = 0
  WHERE signed_token.token = :instead`;

const ACCEPT = 'UPDATE signed_token SET is_accepted = 1 WHERE name = :name AND token = :token AND is_accepted = 0';

/** Browsers name push services' hosts: their number needs a bound. */
const MOST = 200;
const FORGET = `
  DELETE FROM signed_token
  WHERE name IN (SELECT name FROM signed_token ORDER BY stored_at DESC, name LIMIT 100 OFFSET ${MOST})`;

interface Row {
  readonly token: string;
  readonly signedAtMs: number;
  readonly storedAtMs: number;
  readonly isAccepted: number;
}

/** Keeps signed tokens that identify the sender to providers: one per key for all processes. */
export function signedTokens(sql: Sql) {
  const find = sql.get<{ name: string }, Row>(FIND_TOKEN);
  const put = sql.run<{ name: string; token: string; signedAtMs: number; instead: string | null; wallMs: number }>(PUT);
  const accept = sql.run<{ name: string; token: string }>(ACCEPT);
  const forget = sql.run<object>(FORGET);

  return {
    async shareToken({ name, offered }, { wallMs }): Promise<SignedToken | null> {
      if (offered !== null && (await put({ name, ...offered, wallMs })) > 0) await forget({});
      const row = await find({ name });
      if (row === undefined) return null;
      const { token, signedAtMs, storedAtMs, isAccepted } = row;
      return { token, signedAtMs, ageMs: wallMs - storedAtMs, isAccepted: isAccepted === 1 };
    },

    async tokenAccepted(which) {
      await accept(which);
      return null;
    },
  } satisfies SomeHandlers;
}
