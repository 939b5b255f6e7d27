import { PROVIDER_NAMES } from '../push.ts';
import { camelCase } from '../values/json.ts';
import type { Config } from './config.ts';
import type { Setting } from './settings.ts';
import { isTable, lookUp, place, type Table } from './sources.ts';
import { parseDurationMs, parseListen, parseSizeBytes } from './units.ts';

/** Tables that turn something on: null in the configuration where they are missing. */
const OPTIONAL_TABLES: readonly string[] = [
  'store',
  'tls',
  'tls.acme',
  'oidc',
  'watchdog',
  'backup',
  ...PROVIDER_NAMES,
];

/** The optional table that a setting is in, and that is missing; the outermost where several are. */
export function missingTable(table: Table, path: string): string | undefined {
  return OPTIONAL_TABLES.find((name) => path.startsWith(`${name}.`) && !isTable(lookUp(table, name)));
}

/** How texts become values, by the name of their type in schemas/config.json, and the unit that their name carries. */
const CONVERSIONS: Readonly<Record<string, { unit: string; parse: (text: string) => unknown }>> = {
  duration: { unit: 'Ms', parse: parseDurationMs },
  size: { unit: 'Bytes', parse: parseSizeBytes },
  listen: { unit: '', parse: parseListen },
};

/**
 * Checked settings, defaults filled in, as the program uses them: `delivery.retry_first = "5s"` becomes
 * `delivery.retryFirstMs: 5000`, and what is not set null.
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
  // A delivery goes with its event at the latest.
  return { ...config, retention: { ...config.retention, deliveriesMs: Math.min(deliveriesMs, eventsMs) } };
}
