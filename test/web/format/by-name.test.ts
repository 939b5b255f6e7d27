import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { byName } from '../../../src/web/format/locale.ts';

test('Names are in the order in which people count and spell, with any case and accents', () => {
  const names = ['service 10', 'Zebra', 'Service 9', 'Äpfel', 'Service 100', 'Service 2', 'banana'];
  assert.equal(names.sort(byName), ['Äpfel', 'banana', 'Service 2', 'Service 9', 'service 10', 'Service 100', 'Zebra']);
});

test.run();
