import { readFileSync } from 'node:fs';
import { packagePath } from '../package.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** A schema of `schemas/` by its name without `.json`. */
export function readSchema(name: string): Schema {
  return JSON.parse(readFileSync(packagePath('schemas', `${name}.json`), 'utf8'));
}
