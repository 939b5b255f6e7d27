import { isJsonObject, snakeCase } from '../values/json.ts';
import type { Config } from './config.ts';
import { durationOf } from './units.ts';

/** Tables that machines with a shared database must agree on. */
const TABLES = ['limits', 'retention', 'delivery', 'apns', 'fcm', 'webpush', 'web'] as const;

/** Settings that may differ by machine, as may file names. */
const OWN: readonly string[] = [
  'limits.bodies_memory',
  'limits.links_memory',
  'delivery.threads',
  'delivery.stop_timeout',
];
const NAMES_FILE = /_file$/;

/**
 * Returns settings that machines with a shared database must agree on. With another topic, a machine takes devices for
 * dead; without a provider, events miss devices.
 */
export function sharedSettings(config: Config): Readonly<Record<string, string>> {
  const shared: Record<string, string> = { 'senders.hosts': text(config.senders.hosts) };
  shared.base_url = config.baseUrl ?? 'not set';
  for (const table of TABLES) {
    const settings = config[table];
    shared[table] = settings === null ? 'off' : 'on';
    for (const [name, value] of Object.entries(settings ?? {})) {
      const path = `${table}.${snakeCase(name.replace(/(Ms|Bytes)$/, ''))}`;
      if (OWN.includes(path) || NAMES_FILE.test(path)) continue;
      shared[path] = name.endsWith('Ms') ? durationOf(Number(value)) : text(value);
    }
  }
  return shared;
}

/** Sorts unordered tables and lists. */
function text(value: unknown): string {
  if (Array.isArray(value)) return value.toSorted().join(', ');
  if (!isJsonObject(value)) return String(value);
  return text(Object.entries(value).map(([name, own]) => `${name} = ${own}`));
}
