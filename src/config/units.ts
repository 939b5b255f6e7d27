import { isIP, isIPv6 } from 'node:net';

const MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const BYTES = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;
const LONGEST_MS = 3_650 * MS.d;
export const LARGEST_PORT = 65_535;

/** Converts `200ms`, `30s`, `15m`, `24h`, `90d` to ms; null if invalid or above ten years. */
export function parseDurationMs(text: string): number | null {
  const [, amount, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? [];
  if (unit === undefined) return null;
  const ms = Number(amount) * MS[unit as keyof typeof MS];
  return ms <= LONGEST_MS ? ms : null;
}

/** Formats a duration for `parseDurationMs`: 86,400,000 as `1d`, 90,000 as `90s`. */
export function durationOf(ms: number): string {
  const units = Object.entries(MS).toReversed();
  const [unit, size] = units.find(([, size]) => ms % size === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

/** Converts `512KiB`, `64MiB`, `1GiB` to bytes; null if invalid. */
export function parseSizeBytes(text: string): number | null {
  const [, amount, unit] = /^(\d{1,6})(KiB|MiB|GiB)$/.exec(text) ?? [];
  return unit === undefined ? null : Number(amount) * BYTES[unit as keyof typeof BYTES];
}

export function sizeOf(bytes: number): string {
  const units = Object.entries(BYTES).toReversed();
  const [unit, size] = units.find(([, size]) => bytes % size === 0) ?? ['KiB', BYTES.KiB];
  return `${bytes / size}${unit}`;
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

export function listenText({ host, port }: Place): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Parses `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, or `:8080` (all addresses); null if invalid. */
export function parseListen(text: string): Place | null {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > LARGEST_PORT) return null;
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : null;
  return { host: plain || '::', port };
}

/** A listening address. `host` null: all. */
export interface Port {
  readonly host: string | null;
  readonly port: number;
}

/** Parses `443`, `203.0.113.7:443`, `[2001:db8::7]:443`; null if invalid. */
export function parsePort(text: string): Port | null {
  const isAlone = /^:?\d+$/.test(text);
  const { host, port } = parseListen(isAlone ? `:${text.replace(':', '')}` : text) ?? { host: '', port: 0 };
  if (port === 0 || (!isAlone && isIP(host) === 0)) return null;
  return { host: isAlone ? null : host, port };
}

/** Returns whether only this machine can reach `host`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

export function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}
