import { InvalidArgumentError, Option } from 'commander';
import { parseDurationMs } from '../config/units.ts';
import { fromTimestamp, toTimestamp } from '../values/timestamp.ts';

/** Parsers for options: return the value, or throw what was expected. */

export function duration(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === null) throw new InvalidArgumentError('Expected a duration such as 30s, 15m, 24h or 90d.');
  return ms;
}

/** Parses a time with its offset, or a duration from now. Returns the time. */
export function laterTime(text: string): string {
  const inMs = parseDurationMs(text);
  if (inMs !== null) return toTimestamp(Date.now() + inMs);
  if (fromTimestamp(text) === null) {
    throw new InvalidArgumentError('Expected a time such as 2026-11-21T09:30:00Z, or in how long, such as 2h.');
  }
  return text;
}

/** Makes an option whose default the help shows as you would type it: "24h". */
export function durationOption(flags: string, description: string, byDefault: string): Option {
  return new Option(flags, description).argParser(duration).default(duration(byDefault), byDefault);
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1_000_000_000) {
    throw new InvalidArgumentError('Expected a whole number from 1 on.');
  }
  return value;
}

/** Parses a number of events, or `unlimited`. (Commander takes null for "nothing was given".) */
export function allowance(text: string): number | 'unlimited' {
  if (text === 'unlimited') return text;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('Expected a whole number or "unlimited".');
  }
  return value;
}

/** Drops undefined values, so that missing options are not passed. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

type Given<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Collects the pairs of an option that may be given more than once. */
export function collectPair(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Expected name=value.');
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`The name ${name} is given twice.`);
  return Object.fromEntries([...Object.entries(before), [name, value]]);
}

/** Collects an option that may be given more than once, with these words only. */
export function collectOf<T extends string>(words: readonly T[]) {
  return (text: string, before: readonly T[] = []): readonly T[] => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw new InvalidArgumentError(`Expected ${words.join(' or ')}.`);
    return [...before, word];
  };
}

export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}

/** Parses a port, but not 0. */
export function fixedPort(text: string): number {
  const port = portNumber(text);
  if (port === 0) throw new InvalidArgumentError('Expected a port from 1 to 65535.');
  return port;
}
