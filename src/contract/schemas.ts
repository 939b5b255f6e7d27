import { readFileSync } from 'node:fs';
import { packagePath } from '../process/package.ts';

export type Schema = Readonly<Record<string, unknown>>;

const read = new Map<string, Schema>();

/** Reads a schema once, by name without `.json`. */
export function readSchema(name: string): Schema {
  const known = read.get(name);
  if (known !== undefined) return known;
  const schema: Schema = JSON.parse(readFileSync(packagePath('schemas', `${name}.json`), 'utf8'));
  read.set(name, schema);
  return schema;
}

/** Returns a schema with the largest values of some fields that this server allows, less than the schema's own. */
export function withMaxima(schema: Schema, maxima: Readonly<Record<string, number>>): Schema {
  const properties = schema.properties as Readonly<Record<string, Schema>>;
  const lowered = Object.entries(maxima).map(([field, maximum]) => [field, { ...properties[field], maximum }]);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(lowered) } };
}
