import { createHash, randomBytes } from 'node:crypto';
import { type Platform, PROVIDER_NAMES, PROVIDERS, type ProviderName, type TokenKind } from '../push.ts';
import type { BehaviourName } from './behaviours.ts';
import type { Home } from './fake.ts';
import { FAKES } from './table.ts';
import { encodeHeader } from './token-header.ts';

/**
 * What a token shall look like, and mean: see token-header.ts, and the token.ts of each provider for its form. The same
 * `label` always gives the same token; without one every token is new.
 */
export interface TokenRequest extends Home {
  readonly platform: Platform;
  /** Android only; default `token`. */
  readonly tokenKind?: TokenKind;
  /** Default `accept`. */
  readonly behaviour?: BehaviourName;
  /** 0 to 65,535; what it means is up to the behaviour. */
  readonly parameter?: number;
  readonly label?: string;
}

export function issueToken({
  behaviour = 'accept',
  parameter = 0,
  tokenKind = 'token',
  ...request
}: TokenRequest): string {
  const fake = FAKES[providerFor(request.platform)];
  const header = encodeHeader({ home: fake.homeOf(request), behaviour, parameter });
  return fake.makeToken(header, uniqueBytes(request.label, 128), tokenKind);
}

function providerFor(platform: Platform): ProviderName {
  const name = PROVIDER_NAMES.find((one) => PROVIDERS[one].platform === platform);
  if (name === undefined) throw new Error('each platform has its provider');
  return name;
}

function uniqueBytes(label: string | undefined, length: number): Buffer {
  if (label === undefined) return randomBytes(length);
  return createHash('shake256', { outputLength: length }).update(label).digest();
}
