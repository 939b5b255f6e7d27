import { parseAst } from 'vite';

/** Returns the texts in string literals and templates of a file of TypeScript. Each `${…}` of a template counts as one word. */
export function literalsIn(source: string, isTsx = false): readonly string[] {
  return textsBelow(parseAst(source, { lang: isTsx ? 'tsx' : 'ts' }));
}

/** Import paths and types are no texts. */
const NO_TEXT = /^(?:Import|ExportAll|TS.*(?:Type|Annotation|Keyword))/;

function textsBelow(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(textsBelow);
  if (typeof node !== 'object' || node === null) return [];
  const { type, value, quasis, expressions, ...parts } = node as Readonly<Record<string, unknown>>;
  if (NO_TEXT.test(String(type))) return [];
  if (type === 'Literal') return typeof value === 'string' ? [value] : [];
  if (type === 'TemplateLiteral') return [joined(quasis as readonly Quasi[]), ...textsBelow(expressions)];
  return textsBelow([value, quasis, expressions, ...Object.values(parts)]);
}

interface Quasi {
  readonly value: { readonly cooked?: string | null };
}

function joined(quasis: readonly Quasi[]): string {
  return quasis.map(({ value }) => value.cooked ?? '').join('‹code›');
}
