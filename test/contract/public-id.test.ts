import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newDeviceId, publicIdOf, uuidBytesOf, uuidOf } from '../../src/contract/public-id.ts';

const test = suite('public id');

test('the public id of a known UUID is known', () => {
  assert.is(publicIdOf('00000000-0000-0000-0000-000000000000'), `evt_${'0'.repeat(26)}`);
  assert.is(publicIdOf('ffffffff-ffff-ffff-ffff-ffffffffffff'), `evt_7${'z'.repeat(25)}`);
  assert.is(publicIdOf('01a1fc61-62b9-751a-9773-fb3bbc80c12f'), 'evt_01m7y62rnsemd9ewzv7ey81g9f');
});

test('every UUID comes back from its public id', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => uuidOf(publicIdOf(uuid)) === uuid));
});

test('a UUID has the same public id as text, hex and bytes', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const id = publicIdOf(uuid);
      return publicIdOf(uuid.replaceAll('-', '')) === id && publicIdOf(uuidBytesOf(id) ?? '') === id;
    }),
  );
});

test('public ids sort as their UUIDs do', () => {
  fc.assert(fc.property(fc.uuid(), fc.uuid(), (a, b) => a < b === publicIdOf(a) < publicIdOf(b)));
});

test('a text that is no public id has no UUID', () => {
  const short = 'evt_01m7y62rnsemd9ewzv7ey81g9';
  const texts = [
    '',
    'evt_',
    short,
    `${short}ff`,
    `${short}F`,
    `${short}l`,
    `dev_${'0'.repeat(26)}`,
    `evt_8${'0'.repeat(25)}`,
    'evt_01k9z3v5m8q2w4e6r8t0y2a4c6',
  ];
  for (const text of texts) assert.is(uuidOf(text), null, text);
});

test('new device ids of one moment differ, and those of later ones come behind them', () => {
  const nowMs = Date.UTC(2026, 10, 21);
  const ids = new Set(Array.from({ length: 1000 }, () => newDeviceId(nowMs)));
  assert.is(ids.size, 1000);
  for (const id of ids) assert.match(id, /^dev_[0-9a-hjkmnp-tv-z]{16}$/);
  const later = newDeviceId(nowMs + 4);
  for (const id of ids) assert.ok(id < later);
});

test.run();
