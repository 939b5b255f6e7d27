/** The rules for a device's address, for every way in: the API, the command line and imports. */
import type { Environment, Platform, TokenKind } from '../push.ts';

/** Apple: "do not assume a size"; today's tokens have 64 digits. Hex only, because the token becomes part of a path. */
const APNS_TOKEN = /^(?:[0-9a-f]{2}){8,100}$/i;
/**
 * Google publishes no format, and asks not to rely on one. Printable ASCII without blanks can be sent. The shortest
 * ever seen have 119 characters: what is far shorter is something else, such as an installation ID.
 */
const FCM_TOKEN = /^[\x21-\x7e]{32,4096}$/;
/** Firebase's own libraries make 22 characters, and keep the 11 of the instance IDs that came before. */
const INSTALLATION_ID = /^[A-Za-z0-9_-]{10,64}$/;

export interface DeviceAddress {
  readonly platform: Platform;
  readonly environment?: Environment;
  readonly tokenKind?: TokenKind;
  readonly token: string;
}

/** What is wrong with the field that is named; the message is a full sentence. */
export interface AddressProblem {
  readonly field: 'platform' | 'environment' | 'token_kind' | 'token';
  readonly message: string;
}

/** The first thing wrong with an address, or null. The values may come from outside: their types are not believed. */
export function addressProblem(address: DeviceAddress): AddressProblem | null {
  return addressProblems(address)[0] ?? null;
}

/** Everything that is wrong with an address, at most one thing a field. */
export function addressProblems(address: DeviceAddress): readonly AddressProblem[] {
  if (address.platform === 'ios') return iosProblems(address);
  if (address.platform === 'android') return androidProblems(address);
  return [{ field: 'platform', message: 'The platform field must be ios or android.' }];
}

/** The form in which a token is stored and compared: APNs takes hex digits of either case for the same token. */
export function canonicalToken(platform: Platform, token: string): string {
  return platform === 'ios' ? token.toLowerCase() : token;
}

function iosProblems({ environment = 'production', tokenKind = 'token', token }: DeviceAddress): AddressProblem[] {
  const problems: AddressProblem[] = [];
  if (environment !== 'production' && environment !== 'sandbox') {
    problems.push({ field: 'environment', message: 'The environment field must be production or sandbox.' });
  }
  if (tokenKind !== 'token') {
    problems.push({ field: 'token_kind', message: 'The token_kind field of an iOS device must be token.' });
  }
  if (!matches(APNS_TOKEN, token)) {
    const rule = 'must be 16 to 200 hexadecimal digits, an even number of them';
    problems.push({ field: 'token', message: `The token field ${rule}.` });
  }
  return problems;
}

function androidProblems({ environment, tokenKind = 'token', token }: DeviceAddress): AddressProblem[] {
  const problems: AddressProblem[] = [];
  if (environment !== undefined) {
    problems.push({ field: 'environment', message: 'The environment field is for iOS devices only.' });
  }
  if (tokenKind !== 'token' && tokenKind !== 'installation_id') {
    problems.push({ field: 'token_kind', message: 'The token_kind field must be token or installation_id.' });
  } else if (!matches(tokenKind === 'token' ? FCM_TOKEN : INSTALLATION_ID, token)) {
    const rule =
      tokenKind === 'token'
        ? 'must be an FCM registration token: 32 to 4096 printable characters without blanks'
        : 'must be a Firebase installation ID of 10 to 64 characters';
    problems.push({ field: 'token', message: `The token field ${rule}.` });
  }
  return problems;
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
