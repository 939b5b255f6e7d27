const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const HEIGHTS = '▁▂▃▄▅▆▇█';

/** Draws a bar up to `width` columns, in eighths. Positive values are visible. */
export function bar(value: number, largest: number, width: number): string {
  if (value <= 0 || largest <= 0) return '';
  const eighths = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** Draws one column a value, scaled to the largest value. Zero is blank. */
export function sparkline(values: readonly number[]): string {
  const largest = Math.max(0, ...values);
  return values.map((value) => (value <= 0 ? ' ' : HEIGHTS[Math.ceil((value / largest) * 8) - 1])).join('');
}
