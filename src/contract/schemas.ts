import { readFileSync } from 'node:fs';
import { packagePath } from '../package.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** A schema of `schemas/` by its name without `.json`. */
export function readSchema(name: string): Schema {
  return JSON.parse(readFileSync(packagePath('schemas', `${name}.json`), 'utf8'));
}

/**
 * The schemas of these names and all that they refer to, as `#/components/schemas/…` of an OpenAPI document wants them:
 * references to files become references within the document.
 */
export function componentsOf(names: readonly string[]): Record<string, Schema> {
  const components: Record<string, Schema> = {};
  const add = (name: string): void => {
    if (components[name] !== undefined) return;
    const { $schema: _dialect, $id: _id, ...schema } = readSchema(name);
    components[name] = schema;
    components[name] = relocated(schema, (reference) => {
      if (reference.startsWith('#')) return `#/components/schemas/${name}${reference.slice(1)}`;
      const target = reference.slice(0, -'.json'.length);
      add(target);
      return `#/components/schemas/${target}`;
    }) as Schema;
  };
  for (const name of names) add(name);
  return components;
}

function relocated(node: unknown, move: (reference: string) => string): unknown {
  if (Array.isArray(node)) return node.map((item) => relocated(item, move));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' ? [key, move(value)] : [key, relocated(value, move)],
    ),
  );
}
