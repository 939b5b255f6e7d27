import { createECDH } from 'node:crypto';
import * as assert from 'uvu/assert';
import { conformance } from '../../support/engines.ts';
import { aWorld } from '../../support/world.ts';

const { it, run } = conformance('the key for Web Push', aWorld);

it('it is made when it is first needed, and never changes', async ({ calls }) => {
  assert.is(await calls.findVapidKeys({}), null);
  const made = await calls.vapidKeys({});
  assert.equal(await calls.findVapidKeys({}), made);
  assert.equal(await calls.vapidKeys({}), made);
  assert.equal(await calls.showWebPushKey({}), { public_key: made.publicKey });
});

it('it is a pair on the curve that browsers take, as long as they want it', async ({ calls }) => {
  const { publicKey, privateKey } = await calls.vapidKeys({});
  assert.is(Buffer.from(privateKey, 'base64url').length, 32);
  assert.is(Buffer.from(publicKey, 'base64url').length, 65);
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKey, 'base64url');
  assert.is(pair.getPublicKey('base64url'), publicKey);
});

run();
