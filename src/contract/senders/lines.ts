import { scalarText } from './scalars.ts';

/** More than is shown. */
const MOST_CHARACTERS = 8_192;
const MOST_IN_A_LINE = 100;
const DEEPEST = 16;

/** Returns readable JSON, a line for each text: `event.host: db-1`. */
export function linesOf(value: unknown): string {
  const lines: string[] = [];
  let left = MOST_CHARACTERS;
  const add = (inner: unknown, path: readonly string[]): void => {
    if (left <= 0 || path.length > DEEPEST) return;
    const isList = Array.isArray(inner) && inner.slice(0, MOST_IN_A_LINE).every((entry) => typeof entry !== 'object');
    if (typeof inner !== 'object' || inner === null || isList) {
      const text = isList
        ? inner.slice(0, MOST_IN_A_LINE).map(scalarText).filter(Boolean).join(', ')
        : scalarText(inner);
      if (text.trim() === '') return;
      const line = path.length === 0 ? text : `${path.join('.')}: ${text.trim()}`;
      lines.push(line.slice(0, MOST_CHARACTERS));
      left -= line.length;
      return;
    }
    for (const name in inner) {
      if (left <= 0) return;
      add((inner as Readonly<Record<string, unknown>>)[name], [...path, name]);
    }
  };
  add(value, []);
  return lines.join('\n');
}
