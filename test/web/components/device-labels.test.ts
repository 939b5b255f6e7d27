import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deviceLabels } from '../../../src/web/components/device-labels.ts';

test('Devices of one name are numbered, in the order in which they were added', () => {
  const names = ['Firefox on Linux', 'Phone', 'Firefox on Linux', 'Tablet', 'Firefox on Linux'];
  const labels = deviceLabels(names.map((name, nth) => ({ id: `dev_${nth}`, name })));
  assert.equal(
    [...labels],
    [
      ['dev_0', 'Firefox on Linux (1)'],
      ['dev_1', 'Phone'],
      ['dev_2', 'Firefox on Linux (2)'],
      ['dev_3', 'Tablet'],
      ['dev_4', 'Firefox on Linux (3)'],
    ],
  );
});

test.run();
