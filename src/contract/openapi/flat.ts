import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../schemas.ts';

/** Returns the shared schema of a reference; other schemas unchanged. */
export type Resolve = (schema: Schema) => Schema;
/** Returns a reference to a merged object, named for generated clients. */
export type Name = (schema: Schema, field: string) => Schema;

/**
 * Returns one schema with all fields; required are those required by all. Generated clients guess at `oneOf`, and fail
 * if two or none fit.
 */
export function flattened(alternatives: readonly Schema[], resolve: Resolve, name: Name): Schema {
  return alternatives.map(resolve).reduce((first, second) => mergedObjects(first, second, resolve, name));
}

type Properties = Readonly<Record<string, Schema>>;

function mergedObjects(first: Schema, second: Schema, resolve: Resolve, name: Name): Schema {
  if (first.type !== 'object' || second.type !== 'object') throw new Error('only objects can be made one');
  const [mine, theirs] = [first.properties as Properties, second.properties as Properties];
  const properties = Object.fromEntries(
    Object.keys({ ...mine, ...theirs }).map((field) => {
      const [a, b] = [mine[field], theirs[field]];
      return [field, a && b ? mergedFields(a, b, field, resolve, name) : (a ?? b)];
    }),
  );
  const required = ((first.required ?? []) as string[]).filter((field) =>
    ((second.required ?? []) as string[]).includes(field),
  );
  return { type: 'object', ...(required.length > 0 && { required }), properties };
}

function mergedFields(first: Schema, second: Schema, field: string, resolve: Resolve, name: Name): Schema {
  if (isDeepStrictEqual(first, second)) return first;
  const [a, b] = [resolve(first), resolve(second)];
  if (a.type === 'object' && b.type === 'object') return name(mergedObjects(a, b, resolve, name), field);
  const nullable = [first, second].find(({ anyOf }) => Array.isArray(anyOf));
  if (nullable !== undefined) return nullable;
  const types = [...new Set([a.type, b.type].flat())];
  const common = Object.keys(a).filter((keyword) => isDeepStrictEqual(a[keyword], b[keyword]));
  const description = a.description ?? b.description;
  return {
    ...(description !== undefined && { description }),
    ...Object.fromEntries(common.map((keyword) => [keyword, a[keyword]])),
    type: types.length === 1 ? types[0] : types,
  };
}
