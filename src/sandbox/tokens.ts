import { createHash, randomBytes } from 'node:crypto';
import { type Platform, PROVIDER_NAMES, PROVIDERS, type ProviderName } from '../push.ts';
import type { TokenOptions } from './fake.ts';
import { FAKES } from './table.ts';
import { encodeHeader } from './token-header.ts';

/**
 * A token's form and meaning: see token-header.ts and the providers' token.ts. A `label` gives a stable token; without,
 * each is new.
 */
export interface TokenRequest extends TokenOptions {
  readonly platform: Platform;
  /** A number for overrides; default 0. */
  readonly behaviour?: number;
  /** 0 to 65,535; the behaviour gives it meaning. */
  readonly parameter?: number;
  readonly label?: string;
}

export function issueToken({ platform, behaviour = 0, parameter = 0, label, ...wanted }: TokenRequest): string {
  const fake = FAKES[providerFor(platform)];
  const header = encodeHeader({ home: fake.homeOf(wanted), behaviour, parameter });
  return fake.makeToken(header, uniqueBytes(label, 128), wanted);
}

function providerFor(platform: Platform): ProviderName {
  const name = PROVIDER_NAMES.find((provider) => PROVIDERS[provider].platform === platform);
  if (name === undefined) throw new Error('each platform has its provider');
  return name;
}

function uniqueBytes(label: string | undefined, length: number): Buffer {
  if (label === undefined) return randomBytes(length);
  return createHash('shake256', { outputLength: length }).update(label).digest();
}
