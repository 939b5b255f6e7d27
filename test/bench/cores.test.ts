import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { coresIn } from './cores.ts';

test('cores are read from a list of ranges', () => {
  assert.equal(coresIn('0-2,5'), [0, 1, 2, 5]);
  assert.equal(coresIn('3'), [3]);
});

test.run();
