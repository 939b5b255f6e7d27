import { test } from 'uvu';
import { readsFewRows } from '../../support/row-reads.ts';

test('A node that found its tables empty still reads a few rows for each push after thousands, and counts events in place', async () => {
  await readsFewRows(2_000);
});

test.run();
