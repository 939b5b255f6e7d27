import { readFileSync } from 'node:fs';
import { packagePath } from '../process/package.ts';

export interface SettingSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SettingSchema>>;
}

/** A setting: `path` in the file (`apns.key_file`), `variable` in the environment (`PUSHCTL_APNS_KEY_FILE`). */
export interface Setting {
  readonly path: string;
  readonly variable: string;
  readonly kind: 'string' | 'boolean' | 'integer' | 'array' | 'object';
  /** The type's name in `$defs` (`file`, `duration`); null: defined in place. */
  readonly type: string | null;
  /** The expected value: "a duration such as 24h". */
  readonly expected: string;
  readonly description: string;
  readonly default: unknown;
  readonly examples: readonly unknown[];
}

/** Reads schemas/config.json, the source of checks and documentation. */
export function readConfigSchema(): SettingSchema {
  return JSON.parse(readFileSync(packagePath('schemas', 'config.json'), 'utf8')) as SettingSchema;
}

export function listSettings(schema: SettingSchema): readonly Setting[] {
  return walk(schema, schema, '');
}

function walk(root: SettingSchema, table: SettingSchema, prefix: string): Setting[] {
  return Object.entries(table.properties ?? {}).flatMap(([name, entry]) => {
    const path = prefix + name;
    if (entry.properties !== undefined) return walk(root, entry, `${path}.`);
    const type = entry.$ref?.slice('#/$defs/'.length) ?? null;
    return [toSetting(path, entry, type, (type !== null && root.$defs?.[type]) || entry)];
  });
}

function toSetting(path: string, entry: SettingSchema, type: string | null, schema: SettingSchema): Setting {
  return {
    path,
    variable: `PUSHCTL_${path.replaceAll('.', '_').toUpperCase()}`,
    kind: schema.type as Setting['kind'],
    type,
    expected: entry.title ?? schema.title ?? '',
    description: entry.description ?? '',
    default: entry.default,
    examples: entry.examples ?? [],
  };
}
