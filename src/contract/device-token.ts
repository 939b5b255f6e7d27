/** The rules for a device's address, for every way in: the API, the command line and imports. */
import type { Environment, Platform, TokenKind } from '../push.ts';

/** Apple: "do not assume a size"; today's tokens have 64 digits. Hex only, because the token becomes part of a path. */
const APNS_TOKEN = /^(?:[0-9a-f]{2}){8,100}$/i;
/** Google publishes no form. Printable ASCII without blanks is what can be sent. */
const FCM_TOKEN = /^[\x21-\x7e]{1,4096}$/;
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
  if (address.platform === 'ios') return iosProblem(address);
  if (address.platform === 'android') return androidProblem(address);
  return { field: 'platform', message: 'The platform field must be ios or android.' };
}

/** The form in which a token is stored and compared: APNs takes hex digits of either case for the same token. */
export function canonicalToken(platform: Platform, token: string): string {
  return platform === 'ios' ? token.toLowerCase() : token;
}

function iosProblem({ environment = 'production', tokenKind = 'token', token }: DeviceAddress): AddressProblem | null {
  if (environment !== 'production' && environment !== 'sandbox') {
    return { field: 'environment', message: 'The environment field must be production or sandbox.' };
  }
  if (tokenKind !== 'token') {
    return { field: 'token_kind', message: 'The token_kind field of an iOS device must be token.' };
  }
  if (matches(APNS_TOKEN, token)) return null;
  return { field: 'token', message: 'The token field must be 16 to 200 hexadecimal digits, an even number of them.' };
}

function androidProblem({ environment, tokenKind = 'token', token }: DeviceAddress): AddressProblem | null {
  if (environment !== undefined) {
    return { field: 'environment', message: 'The environment field is for iOS devices only.' };
  }
  if (tokenKind !== 'token' && tokenKind !== 'installation_id') {
    return { field: 'token_kind', message: 'The token_kind field must be token or installation_id.' };
  }
  if (tokenKind === 'installation_id') {
    if (matches(INSTALLATION_ID, token)) return null;
    return { field: 'token', message: 'The token field must be a Firebase installation ID of 10 to 64 characters.' };
  }
  if (matches(FCM_TOKEN, token)) return null;
  return { field: 'token', message: 'The token field must be 1 to 4096 printable characters without blanks.' };
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
