import * as assert from 'uvu/assert';
import { conformance } from '../../support/engines.ts';
import { aWorld, NOW_MS } from '../../support/world.ts';

const { it, run } = conformance('signed tokens', aWorld);

const offer = (token: string, instead: string | null, name = 'apns x') => ({
  name,
  offered: { token, signedAtMs: NOW_MS - 7, instead },
});
const ask = (name = 'apns x') => ({ name, offered: null });

it('the first that is offered is the one that all get, and it ages', async ({ calls }) => {
  assert.is(await calls.shareToken(ask()), null);
  const stored = { token: 'one', signedAtMs: NOW_MS - 7, ageMs: 0, isAccepted: false };
  assert.equal(await calls.shareToken(offer('one', null)), stored);
  assert.equal(await calls.shareToken(offer('two', null)), stored);
  assert.equal(await calls.shareToken({ ...ask(), wallMs: NOW_MS + 60_000 }), { ...stored, ageMs: 60_000 });
  assert.is(await calls.shareToken(ask('vapid y')), null);
});

it('it is replaced only by a holder of the old token, and only once', async ({ calls }) => {
  await calls.shareToken(offer('one', null));
  assert.is((await calls.shareToken(offer('two', 'one')))?.token, 'two');
  assert.is((await calls.shareToken(offer('three', 'one')))?.token, 'two');
});

it("the provider's answer counts for the token that it was given for", async ({ calls }) => {
  await calls.shareToken(offer('one', null));
  await calls.tokenAccepted({ name: 'apns x', token: 'one' });
  assert.is((await calls.shareToken(ask()))?.isAccepted, true);
  await calls.shareToken(offer('two', 'one'));
  await calls.tokenAccepted({ name: 'apns x', token: 'one' });
  assert.is((await calls.shareToken(ask()))?.isAccepted, false);
});

it('however many there are, some hundreds are kept', async ({ calls, countRows }) => {
  for (let n = 0; n < 210; n += 1) await calls.shareToken(offer('one', null, `vapid ${n}`));
  assert.is(await countRows('signed_token'), 200);
});

run();
