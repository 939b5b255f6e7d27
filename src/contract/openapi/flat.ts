import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../schemas.ts';

/** Returns the shared schema of a reference; any other schema is returned as it is. */
export type Resolve = (schema: Schema) => Schema;
/** Names a merged object, so that generated clients have a name for it, and returns a reference to it. */
export type Name = (schema: Schema, field: string) => Schema;

/**
 * Returns one schema that takes all that any of these takes: the fields of all, of which those are required that all
 * require. Generated clients guess at `oneOf`, and fail where two alternatives fit or none does.
 */
export function flattened(alternatives: readonly Schema[], resolve: Resolve, name: Name): Schema {
  return alternatives.map(resolve).reduce((one, other) => mergedObjects(one, other, resolve, name));
}

type Properties = Readonly<Record<string, Schema>>;

function mergedObjects(one: Schema, other: Schema, resolve: Resolve, name: Name): Schema {
  if (one.type !== 'object' || other.type !== 'object') throw new Error('only objects can be made one');
  const [mine, theirs] = [one.properties as Properties, other.properties as Properties];
  const properties = Object.fromEntries(
    Object.keys({ ...mine, ...theirs }).map((field) => {
      const [a, b] = [mine[field], theirs[field]];
      return [field, a && b ? mergedFields(a, b, field, resolve, name) : (a ?? b)];
    }),
  );
  const required = ((one.required ?? []) as string[]).filter((field) =>
    ((other.required ?? []) as string[]).includes(field),
  );
  return { type: 'object', ...(required.length > 0 && { required }), properties };
}

function mergedFields(one: Schema, other: Schema, field: string, resolve: Resolve, name: Name): Schema {
  if (isDeepStrictEqual(one, other)) return one;
  const [a, b] = [resolve(one), resolve(other)];
  if (a.type === 'object' && b.type === 'object') return name(mergedObjects(a, b, resolve, name), field);
  const nullable = [one, other].find(({ anyOf }) => Array.isArray(anyOf));
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
