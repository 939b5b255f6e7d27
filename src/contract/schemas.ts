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
