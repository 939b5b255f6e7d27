import { test } from 'uvu';
import { readsFewRows } from '../support/row-reads.ts';

test('A node that found its tables empty still reads a few rows for each push after 50,000 events', async () => {
  await readsFewRows(50_000);
});

test.run();
