import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rotationsOf } from '../../../../src/web/manage/keys/rotations.ts';

test('Each old key stands with the one that has taken its place, also after several rotations', () => {
  const keys = [
    { id: 'first', successor: 'second' },
    { id: 'other', successor: null },
    { id: 'second', successor: 'third' },
    { id: 'third', successor: null },
    { id: 'alone', successor: 'revoked and not listed here' },
  ];
  const shown = rotationsOf(keys).map(({ key, old }) => [key.id, ...old.map(({ id }) => id)]);
  assert.equal(shown, [['other'], ['third', 'second', 'first'], ['alone']]);
});

test.run();
