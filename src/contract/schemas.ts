import { readFileSync } from 'node:fs';
import { packagePath } from '../process/package.ts';

export type Schema = Readonly<Record<string, unknown>>;

const read = new Map<string, Schema>();

/** A schema of `schemas/` by its name without `.json`. Each is read once. */
export function readSchema(name: string): Schema {
  const known = read.get(name);
  if (known !== undefined) return known;
  const schema: Schema = JSON.parse(readFileSync(packagePath('schemas', `${name}.json`), 'utf8'));
  read.set(name, schema);
  return schema;
}
