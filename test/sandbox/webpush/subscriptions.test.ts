import { createECDH } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decryptPush } from '../../../src/sandbox/webpush/subscriptions.ts';

/** RFC 8291, appendix A. */
const PRIVATE_KEY = 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94';
const AUTH = 'BTBZMqHH6r4Tts7J_aSIgg';
const BODY =
  'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
  'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';

function receiver(auth = AUTH) {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(PRIVATE_KEY, 'base64url');
  return { ecdh, auth: Buffer.from(auth, 'base64url') };
}

test('The example of RFC 8291, appendix A, is decrypted', () => {
  const text = decryptPush(Buffer.from(BODY, 'base64url'), receiver());
  assert.is(text?.toString(), 'When I grow up, I want to be a watermelon');
});

test('A push for another browser, a changed one, and one that is cut short are not', () => {
  const body = Buffer.from(BODY, 'base64url');
  assert.is(decryptPush(body, receiver('AAAAAAAAAAAAAAAAAAAAAA')), null);
  for (let at = 0; at < body.length; at++) {
    const changed = Buffer.from(body);
    changed[at] = (changed[at] ?? 0) ^ 1;
    // The record size may be any other that is not too small: it is no part of what is signed.
    if (at < 16 || at > 19) assert.is(decryptPush(changed, receiver()), null, `byte ${at}`);
    assert.is(decryptPush(body.subarray(0, at), receiver()), null, `${at} bytes`);
  }
});

test.run();
