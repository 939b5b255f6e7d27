import { createHash, randomBytes } from 'node:crypto';
import { storedAddress } from '../contract/addresses.ts';
import { type Environment, type Platform, providerOf, type TokenKind } from '../push.ts';
import type { BehaviourName } from './behaviours.ts';
import { FAKES } from './table.ts';
import { encodeHeader } from './token-header.ts';

/**
 * What a token shall look like, and mean: see token-header.ts, and the token.ts of each provider for its form. The same
 * `label` always gives the same token; without one every token is new.
 */
export interface TokenRequest {
  readonly platform: Platform;
  /** iOS only; default `production`. */
  readonly environment?: Environment;
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
  const { route: home } = storedAddress({ ...request, token: '' });
  const header = encodeHeader({ home, behaviour, parameter });
  return FAKES[providerOf(home)].makeToken(header, uniqueBytes(request.label, 128), tokenKind);
}

function uniqueBytes(label: string | undefined, length: number): Buffer {
  if (label === undefined) return randomBytes(length);
  return createHash('shake256', { outputLength: length }).update(label).digest();
}
