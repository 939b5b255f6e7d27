import wrapAnsi from 'wrap-ansi';
import { readConfigSchema, type SettingSchema } from './settings.ts';

const WIDTH = 110;

/** Values by path: `apns.key_file`. */
export type Values = ReadonlyMap<string, unknown>;

/**
 * Returns a configuration file that explains every setting, unset ones commented out. Without values it is
 * systemd/pushctl.toml.
 */
export function exampleConfig(values: Values = new Map(), schema: SettingSchema = readConfigSchema()): string {
  const entries = Object.entries(schema.properties ?? {});
  const settings = entries.filter(([, { properties }]) => properties === undefined);
  const tables = entries.filter(([, { properties }]) => properties !== undefined);
  const blocks = [
    comment(`${schema.title}. ${schema.description}`),
    ...settings.map(([name, entry]) => setting(name, entry, values.get(name))),
    ...tables.flatMap(([name, entry]) => tableAndInner(name, entry, values)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Returns a table, followed by its subtables. */
function tableAndInner(name: string, entry: SettingSchema, values: Values): readonly string[] {
  const inner = Object.entries(entry.properties ?? {}).filter(([, { properties }]) => properties !== undefined);
  return [
    table(name, entry, values),
    ...inner.flatMap(([own, entryOfInner]) => tableAndInner(`${name}.${own}`, entryOfInner, values)),
  ];
}

function table(name: string, { description, properties = {} }: SettingSchema, values: Values): string {
  const entries = Object.entries(properties).filter(([, entry]) => entry.properties === undefined);
  const settings = entries.map(([inner, entry]) => setting(inner, entry, values.get(`${name}.${inner}`)));
  const isThere = entries.some(([inner]) => values.has(`${name}.${inner}`));
  return [`${comment(description)}\n${isThere ? '' : '#'}[${name}]`, ...settings].join('\n');
}

function setting(name: string, entry: SettingSchema, value: unknown): string {
  const shown = value ?? entry.default ?? entry.examples?.[0];
  return `${comment(entry.description)}\n${value === undefined ? '#' : ''}${name} = ${tomlValue(shown)}`;
}

/** Formats prose with `# `; lines to uncomment have `#` without blank. */
function comment(text = ''): string {
  return wrapAnsi(text, WIDTH)
    .split('\n')
    .map((line) => `# ${line}`)
    .join('\n');
}

/** Formats a value for TOML, which equals JSON for texts, whole numbers and lists. */
export function tomlValue(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)} = ${tomlValue(inner)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
