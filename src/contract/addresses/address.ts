import type { Address, Environment, Platform, Route } from '../../push.ts';
import type { BodyOf } from '../api-types.ts';

/** A device's address from a client. The platform determines the fields. */
export type DeviceAddress = Omit<BodyOf<'registerDevice'>, 'replaces' | 'name' | 'appVersion'>;

/**
 * `PushSubscription.toJSON()`: endpoint and two keys in base64url. `expirationTime` is ignored: push services report
 * the end. https://www.w3.org/TR/push-api/#pushsubscription-interface
 */
export type BrowserSubscription = NonNullable<BodyOf<'registerDevice'>['subscription']>;

/** A stored address. `environment` null: unknown to the platform. */
export interface StoredAddress extends Address {
  readonly platform: Platform;
  readonly route: Route;
  readonly environment: Environment | null;
}

/**
 * The fault of a field (by the API's name or path, such as `subscription.endpoint`). The sentence shows nothing of the
 * address, which may be secret.
 */
export interface AddressProblem {
  readonly field: string;
  readonly message: string;
}

/** `pushHosts`: additional push services. `apps`: bundle IDs that iOS devices may name; none without APNs. */
export interface AddressSettings {
  readonly pushHosts: readonly string[];
  readonly apps: readonly string[];
}

export interface AddressRules {
  readonly defaultName: string;
  /** Leading characters that are almost unique. */
  readonly distinctLength: number;
  /** Fields in API and imports, beside `platform`. */
  readonly fields: readonly string[];
  /** Returns at most one fault a field. Trusts no types of outside values. */
  problems(address: DeviceAddress, settings: AddressSettings): readonly AddressProblem[];
  /** The canonical form of a valid address, with the route. */
  stored(address: DeviceAddress): Omit<StoredAddress, 'platform'>;
  /** The showable parts: a browser's push service, and an iOS device's app. */
  pushService(token: string): string | null;
  app(keys: string | null): string | null;
  /** Inverts `stored`. */
  given(stored: Pick<Address, 'token' | 'keys'>): Pick<DeviceAddress, 'token' | 'subscription' | 'app'>;
}

export function isMatch(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}

/** Returns `ios, android or web` without `Intl`, whose locale data delays starts by 20 ms. */
export function eitherOf(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
}

export const TOKEN_FIELDS = ['token', 'token_kind', 'environment'];

export function required(field: string): AddressProblem {
  return { field, message: `The ${field} field is required.` };
}

export const BROWSERS_ONLY: AddressProblem = {
  field: 'subscription',
  message: 'The subscription field is for browsers only.',
};

export const IOS_ONLY: AddressProblem = { field: 'app', message: 'The app field is for iOS devices only.' };
