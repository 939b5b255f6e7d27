import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstOf } from '../../../src/web/api/client.ts';

test('The earliest of positions of one server counts, and none of several', () => {
  assert.is(firstOf(['1b3f9c-10', '1b3f9c-9', '1b3f9c-11']), '1b3f9c-9');
  assert.is(firstOf(['1b3f9c-0']), '1b3f9c-0');
  assert.is(firstOf(['1b3f9c-9', '77aa01-3']), null);
  assert.is(firstOf([]), null);
});

test.run();
