import { PROVIDER_NAMES } from '../push.ts';
import { camelCase } from '../values/json.ts';
import type { Config } from './config.ts';
import type { Setting } from './settings.ts';
import { isTable, lookUp, place, type Table } from './sources.ts';
import { durationOf, listenText, type Place, parseDurationMs, parseListen, parseSizeBytes, sizeOf } from './units.ts';

/** Tables that turn something on; null if missing. */
const OPTIONAL_TABLES: readonly string[] = [
  'store',
  'tls',
  'tls.acme',
  'oidc',
  'watchdog',
  'backup',
  ...PROVIDER_NAMES,
];

/** Returns the missing optional table of a setting, the outermost of several. */
export function missingTable(table: Table, path: string): string | undefined {
  return OPTIONAL_TABLES.find((name) => path.startsWith(`${name}.`) && !isTable(lookUp(table, name)));
}

interface Conversion {
  readonly unit: string;
  readonly parse: (text: string) => unknown;
  readonly format: (value: unknown) => string;
}

/** Conversions of texts and back, by type in schemas/config.json. `unit`: suffix of the name. */
const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  duration: { unit: 'Ms', parse: parseDurationMs, format: (ms) => durationOf(Number(ms)) },
  size: { unit: 'Bytes', parse: parseSizeBytes, format: (bytes) => sizeOf(Number(bytes)) },
  listen: { unit: '', parse: parseListen, format: (place) => listenText(place as Place) },
};

/**
 * Converts checked settings: `delivery.retry_first = "5s"` to `delivery.retryFirstMs: 5000`. Missing ones become null.
 */
export function buildConfig(table: Table, settings: readonly Setting[]): Omit<Config, 'handedOver'> {
  const built: Table = {};
  for (const { path, type } of settings) {
    const missing = missingTable(table, path);
    if (missing !== undefined) {
      place(built, missing, null);
      continue;
    }
    const value = lookUp(table, path) ?? null;
    const { unit = '', parse } = CONVERSIONS[type ?? ''] ?? {};
    place(built, camelCase(path) + unit, parse && value !== null ? parse(String(value)) : value);
  }
  const config = built as unknown as Omit<Config, 'handedOver'>;
  const { eventsMs, deliveriesMs } = config.retention;
  // Deliveries end with their event at the latest.
  return { ...config, retention: { ...config.retention, deliveriesMs: Math.min(deliveriesMs, eventsMs) } };
}

/** Returns a setting's value in the file's form; null: not set. */
export function settingIn(config: Config, { path, type }: Setting): unknown {
  const { unit = '', format } = CONVERSIONS[type ?? ''] ?? {};
  const value = lookUp(config as unknown as Table, camelCase(path) + unit) ?? null;
  return format && value !== null ? format(value) : value;
}
