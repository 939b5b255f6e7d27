import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPairingCode, pairingCodeHash, pairingLink } from '../../src/contract/pairing-code.ts';

const test = suite('pairing code');

test('A code is found again however it is typed.', () => {
  const { text, hash } = createPairingCode();
  const misread = text.replaceAll('0', 'O').replaceAll('1', 'l');
  for (const typed of [text, text.toLowerCase(), text.replace('-', ''), ` ${text.replace('-', ' ')} `, misread]) {
    assert.is(pairingCodeHash(typed), hash);
  }
});

test('A malformed code has no hash.', () => {
  for (const typed of ['', 'ABCDE', 'ABCDE-FGHJU', 'ABCDE-FGHJKM']) assert.is(pairingCodeHash(typed), null);
});

test('The link carries the server and the code.', () => {
  const link = new URL(pairingLink('https://push.example.com/api', '7K3QF-X9M2T'));
  assert.is(link.protocol, 'pushctl:');
  assert.is(link.searchParams.get('server'), 'https://push.example.com/api');
  assert.is(link.searchParams.get('code'), '7K3QF-X9M2T');
});

test.run();
