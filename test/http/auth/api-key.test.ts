import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey } from '../../../src/contract/api-key.ts';
import { keyAuthorization } from '../../../src/http/auth/api-key.ts';
import { ProvenClients } from '../../../src/http/limits/proven-clients.ts';
import type { Context } from '../../../src/http/request-state.ts';
import { systemClock } from '../../../src/process/clock.ts';
import type { KeyRecord } from '../../../src/store/calls.ts';
import type { ServingStore } from '../../../src/store/client.ts';

const KEY = createApiKey(randomBytes);
const RECORD: KeyRecord = {
  id: KEY.id,
  workspaceId: 1,
  boundKeyId: null,
  origin: 'k'.repeat(12),
  onlyChannel: null,
  workspaceStatus: 'active',
  secretHash: KEY.secretHash,
  scopes: ['events:write'],
  burstPerMinute: null,
  defaults: null,
  expiresAtMs: null,
  revokedAtMs: null,
};

/** Authorization over a store that counts its look-ups, answers when the test says so, and can say that keys have changed. */
function scene(find: (id: string) => Promise<KeyRecord | null>) {
  let lookUps = 0;
  let touched = (): void => undefined;
  const store = {
    findKey: ({ id }: { id: string }) => {
      lookUps += 1;
      return find(id);
    },
    touchKey: () => Promise.resolve(null),
    as: () => ({}),
    onTouched: (_topic: 'keys', listener: () => void) => {
      touched = listener;
    },
  } as unknown as ServingStore;
  const authorize = keyAuthorization(store, systemClock(), new ProvenClients());
  return {
    lookUps: () => lookUps,
    touch: () => touched(),
    ask: (key: string) => {
      const context = { req: { headers: { authorization: `Bearer ${key}` } }, state: {} };
      return authorize(context as unknown as Context, ['events:write']);
    },
  };
}

test('a key is looked up once, and again after keys have changed', async () => {
  const { ask, touch, lookUps } = scene(() => Promise.resolve(RECORD));
  await ask(KEY.text);
  await ask(KEY.text);
  assert.is(lookUps(), 1);
  touch();
  await ask(KEY.text);
  assert.is(lookUps(), 2);
});

test('a key that was looked up before a change and arrives after it is not cached', async () => {
  const slow = Promise.withResolvers<KeyRecord>();
  const { ask, touch, lookUps } = scene(() => slow.promise);
  const first = ask(KEY.text);
  touch();
  slow.resolve(RECORD);
  await first;
  await ask(KEY.text);
  assert.is(lookUps(), 2);
});

test('a key that does not exist is not kept in memory', async () => {
  const { ask, lookUps } = scene(() => Promise.resolve(null));
  for (let at = 0; at < 3; at += 1) await ask(KEY.text).catch(() => null);
  assert.is(lookUps(), 3);
});

test('a malformed key is refused without a look-up', async () => {
  const { ask, lookUps } = scene(() => Promise.resolve(RECORD));
  const typo = KEY.text.slice(0, -1) + (KEY.text.endsWith('0') ? '1' : '0');
  for (const text of ['', 'x', typo, `pses_${'0'.repeat(52)}`]) {
    assert.is(await ask(text).catch((error: { code: string }) => error.code), 'unauthenticated');
  }
  assert.is(lookUps(), 0);
});

test.run();
