import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Signer } from '../../../src/providers/signing/signer.ts';
import { type SharedToken, TokenKeeper, type TokenShelf } from '../../../src/providers/signing/tokens.ts';
import { OUR_KEYS } from '../../support/web-push.ts';

const MINUTE_MS = 60_000;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const APNS: Signer = { kind: 'apns', key, keyId: 'ABC123DEFG', teamId: 'TEAM123456' };
const VAPID: Signer = { kind: 'vapid', origin: 'https://fcm.googleapis.com', contact: 'mailto:a@b.c', keys: OUR_KEYS };

for (const [signer, leastMs, renewMs] of [
  [APNS, 20 * MINUTE_MS, 50 * MINUTE_MS],
  [VAPID, 60 * MINUTE_MS, 660 * MINUTE_MS],
] as const) {
  const { kind } = signer;

  test(`${kind}: a token is the same for all who ask, until it is old`, async () => {
    const { keeper, pass } = aKeeper();
    const [first, second] = await Promise.all([keeper.current(signer), keeper.current(signer)]);
    assert.is(first, second);
    pass(renewMs - 1);
    assert.is(await keeper.current(signer), first);
    pass(1);
    assert.is.not(await keeper.current(signer), first);
  });

  test(`${kind}: an accepted token that is refused stays for its time as long as the clocks agree`, async () => {
    const { keeper, pass } = aKeeper();
    const token = await keeper.current(signer);
    keeper.accepted(signer, token);
    pass(leastMs - 1);
    assert.is(await keeper.refused(signer, token, 'refused'), null);
    assert.is(await keeper.current(signer), token);
    pass(1);
    assert.is.not(await keeper.refused(signer, token, 'refused'), null);
  });

  test(`${kind}: a clock that jumps leaves an accepted token alone until it is refused`, async () => {
    for (const byMs of [24 * 60 * MINUTE_MS, -24 * 60 * MINUTE_MS, 61_000]) {
      const { keeper, jump } = aKeeper();
      const token = await keeper.current(signer);
      keeper.accepted(signer, token);
      jump(byMs);
      assert.is(await keeper.current(signer), token);
      const other = await keeper.refused(signer, token, 'refused');
      assert.is.not(other, token);
      assert.is(await keeper.current(signer), other);
    }
  });

  test(`${kind}: one that was never accepted is signed again when the clock jumps, or once when it is refused`, async () => {
    const { keeper, jump } = aKeeper();
    const wrong = await keeper.current(signer);
    const again = await keeper.refused(signer, wrong, 'refused');
    assert.is.not(again, null);
    assert.is(await keeper.refused(signer, wrong, 'refused'), again, 'who comes later gets the same');
    assert.is(await keeper.refused(signer, String(again), 'refused'), null);
    jump(2 * 60 * MINUTE_MS);
    assert.is.not(await keeper.current(signer), again);
  });

  test(`${kind}: two processes share a token, and what the provider said of it`, async () => {
    const shelf = aShelf();
    const [first, second] = [aKeeper(shelf), aKeeper(shelf)];
    const [token, same] = await Promise.all([first.keeper.current(signer), second.keeper.current(signer)]);
    assert.is(same, token);
    first.keeper.accepted(signer, token);
    assert.is(shelf.stored.size, 1);
    const third = aKeeper(shelf);
    assert.is(await third.keeper.current(signer), token);
    assert.is(await third.keeper.refused(signer, token, 'refused'), null, 'it was accepted, and the clocks agree');
  });

  test(`${kind}: a token that another process signed by a wrong clock is replaced, for all`, async () => {
    const shelf = aShelf();
    const wrong = aKeeper(shelf);
    wrong.jump(2 * 60 * MINUTE_MS);
    const token = await wrong.keeper.current(signer);
    const right = aKeeper(shelf);
    const other = await right.keeper.current(signer);
    assert.is.not(other, token);
    right.keeper.accepted(signer, other);
    assert.is(await wrong.keeper.refused(signer, token, 'refused'), other);
  });

  test(`${kind}: if new tokens came too often, the accepted token takes the place of the new token`, async () => {
    const shelf = aShelf();
    const [first, second] = [aKeeper(shelf), aKeeper()];
    const accepted = await first.keeper.current(signer);
    first.keeper.accepted(signer, accepted);
    const mine = await second.keeper.current(signer);
    assert.is(await second.keeper.refused(signer, mine, 'too_many'), null, 'it knows no other');
    const sharing = aKeeper({ ...shelf, find: async () => null, offer: shelf.offerAnyway });
    const late = await sharing.keeper.current(signer);
    const knowing = aKeeper(shelf);
    assert.is(await knowing.keeper.current(signer), late);
    assert.is(await first.keeper.refused(signer, late, 'too_many'), accepted, 'who sent with another one gets it back');
  });

  test(`${kind}: a database that is away keeps nobody from sending`, async () => {
    const away = async () => {
      throw new Error('away');
    };
    const { keeper } = aKeeper({ find: away, offer: away, accepted: away });
    const token = await keeper.current(signer);
    keeper.accepted(signer, token);
    assert.is(await keeper.current(signer), token);
  });
}

test.run();

function aKeeper(shelf: TokenShelf | null = null) {
  const at = { wallMs: 1_800_000_000_000, steadyMs: 1_800_000_000_000 };
  return {
    keeper: new TokenKeeper({ wallMs: () => at.wallMs, steadyMs: () => at.steadyMs }, shelf),
    pass(ms: number) {
      at.wallMs += ms;
      at.steadyMs += ms;
    },
    jump(ms: number) {
      at.wallMs += ms;
    },
  };
}

/** Keeps tokens like the store (test/store/handlers/signed-tokens.test.ts), with no time passing. */
function aShelf() {
  const stored = new Map<string, SharedToken>();
  const put = (name: string, offered: Pick<SharedToken, 'token' | 'signedAtMs'>) => {
    const row = { ...offered, ageMs: 0, isAccepted: false };
    stored.set(name, row);
    return row;
  };
  return {
    stored,
    find: async (name: string) => stored.get(name) ?? null,
    offer: async (name: string, offered: Pick<SharedToken, 'token' | 'signedAtMs'>, instead: string | null) => {
      const known = stored.get(name);
      return known === undefined || known.token === instead ? put(name, offered) : known;
    },
    offerAnyway: async (name: string, offered: Pick<SharedToken, 'token' | 'signedAtMs'>) => put(name, offered),
    accepted: async (name: string, token: string) => {
      const known = stored.get(name);
      if (known?.token === token) stored.set(name, { ...known, isAccepted: true });
    },
  };
}
