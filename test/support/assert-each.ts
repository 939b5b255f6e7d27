import * as assert from 'uvu/assert';

/** Asserts what `view` makes of each row, in order. Undefined rows fail. */
export function assertEach<Row>(
  rows: readonly Row[] | undefined,
  view: (row: Row, index: number) => unknown,
  expected: readonly unknown[],
  message?: string,
): void {
  assert.equal(rows?.map(view), expected, message);
}
