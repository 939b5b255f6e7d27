import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { APNS_WORDS } from '../../src/sandbox/apns/token.ts';
import { Faults, isAffected, parseFault } from '../../src/sandbox/faults.ts';
import { untilIs } from '../support/until.ts';

const test = suite('sandbox: faults');

test('A fault has a kind, and optionally a provider and a duration', () => {
  const all = { provider: null, share: 1, forMs: null };
  for (const [text, expected] of [
    ['429', { ...all, kind: { refuse: 'too_many' } }],
    ['500:fcm', { ...all, kind: { refuse: 'internal_error' }, provider: 'fcm' }],
    ['slow=2s:for=60s', { ...all, kind: { kind: 'accept', afterMs: 2_000 }, forMs: 60_000 }],
    ['stale=10%:for=5m:webpush', { kind: { refuse: 'unregistered' }, share: 0.1, forMs: 300_000, provider: 'webpush' }],
    ['reset', { ...all, kind: { kind: 'reset' } }],
    ['hang:apns', { ...all, kind: { kind: 'silent' }, provider: 'apns' }],
  ] as const) {
    assert.equal(parseFault(text), { text, ...expected });
  }
  for (const text of [
    '',
    '404',
    'slow',
    'slow=2',
    'stale=101%',
    'stale=x',
    '429:apple',
    '429:for=x',
    '429:apns:fcm',
    'constructor',
  ])
    assert.is(parseFault(text), null, text);
});

test('A share of the devices is affected, and always the same ones', () => {
  const fault = parseFault('stale=10%');
  assert.ok(fault);
  const tokens = Array.from({ length: 5_000 }, (_, n) => `token ${n}`);
  const first = tokens.filter((token) => isAffected(fault, token));
  assert.ok(first.length > 400 && first.length < 600, String(first.length));
  assert.equal(
    tokens.filter((token) => isAffected(fault, token)),
    first,
  );
});

test('A fault holds for its provider and its time, and others take its place', async () => {
  const faults = new Faults();
  const given = (...texts: string[]) => faults.set(texts.flatMap((text) => parseFault(text) ?? []));
  const kind = (provider: 'fcm' | 'apns') => faults.answerOf(provider, 'x', APNS_WORDS).kind;
  given('reset:fcm', '429:apns:for=20ms');
  assert.equal([kind('fcm'), kind('apns')], ['reset', 'refuse']);
  await untilIs('one is over', () => kind('apns'), 'accept');
  assert.is(kind('fcm'), 'reset');
  given('hang:apns');
  assert.equal([kind('fcm'), kind('apns')], ['accept', 'silent']);
  given();
  assert.is(kind('apns'), 'accept');
});

test.run();
