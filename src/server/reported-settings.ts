import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { readablePath, readNamedFile } from '../config/named-file.ts';
import { durationOf } from '../config/units.ts';
import type { Clock } from '../process/clock.ts';
import { providerFiles } from '../providers/credentials.ts';
import { isJsonObject, snakeCase } from '../values/json.ts';

/** Keys may be replaced while the server runs. */
const READ_EVERY_MS = 60_000;
const DIGEST_DIGITS = 12;

/** Returns what machines sharing a database compare: settings, and key files' digests, which reveal no key. */
export function reportedSettings(
  config: Config,
  clock: Pick<Clock, 'steadyMs'>,
): () => Readonly<Record<string, string>> {
  const settings = sharedSettings(config);
  let digests: Readonly<Record<string, string>> = {};
  let nextReadMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.steadyMs() >= nextReadMs) {
      nextReadMs = clock.steadyMs() + READ_EVERY_MS;
      digests = digestsOf(config);
    }
    return { ...settings, ...digests };
  };
}

function digestsOf(config: Config): Readonly<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const { setting, file, isSecret } of providerFiles(config)) {
    const digest = file === null || !isSecret ? null : digestOf(readablePath(config, file));
    if (digest !== null) digests[setting] = `sha256 ${digest}`;
  }
  return digests;
}

/** null: unreadable, which is reported elsewhere. */
function digestOf(file: string): string | null {
  try {
    return createHash('sha256').update(readNamedFile(file)).digest('hex').slice(0, DIGEST_DIGITS);
  } catch {
    return null;
  }
}

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
