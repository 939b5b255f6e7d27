import type { Address, Environment, Platform, Route } from '../../push.ts';
import type { BodyOf } from '../api-types.ts';

/** A device's address as a client gives it. Which fields there are is up to its platform. */
export type DeviceAddress = Omit<BodyOf<'registerDevice'>, 'replaces' | 'name' | 'appVersion'>;

/**
 * The form of `PushSubscription.toJSON()`: the address of a browser at its push service, and two keys in base64url. The
 * browser's `expirationTime` is ignored: the push service says when a subscription has ended.
 * https://www.w3.org/TR/push-api/#pushsubscription-interface
 */
export type BrowserSubscription = NonNullable<BodyOf<'registerDevice'>['subscription']>;

/** An address as it is stored and compared. `environment` null: its platform knows none. */
export interface StoredAddress extends Address {
  readonly platform: Platform;
  readonly route: Route;
  readonly environment: Environment | null;
}

/**
 * The fault of a field, with the API's name of the field. A field within another has a path, such as
 * `subscription.endpoint`. The message is a full sentence, and shows nothing of an address, which may be a secret.
 */
export interface AddressProblem {
  readonly field: string;
  readonly message: string;
}

/**
 * Settings that the rules depend on. `pushHosts`: hosts of push services beside the known ones. `apps`: the bundle IDs
 * that iOS devices may name; none: APNs is not configured.
 */
export interface AddressSettings {
  readonly pushHosts: readonly string[];
  readonly apps: readonly string[];
}

/** The rules of each provider for the addresses on its platform. */
export interface AddressRules {
  /** Name of a device that was registered without one. */
  readonly defaultName: string;
  /** This many leading characters tell a stored token from almost all others. */
  readonly distinctLength: number;
  /** The fields of an address in the API and in import files, beside `platform`. */
  readonly fields: readonly string[];
  /** At most one thing a field. The values may come from outside: their types are not believed. */
  problems(address: DeviceAddress, settings: AddressSettings): readonly AddressProblem[];
  /** The one form of an address that has no problems, and its route. */
  stored(address: DeviceAddress): Omit<StoredAddress, 'platform'>;
  /** All that may be shown of an address: the host of a browser's push service, and the app that an iOS device named. */
  pushService(token: string): string | null;
  app(keys: string | null): string | null;
  /** The other way round: what a client would give for what is stored. */
  given(stored: Pick<Address, 'token' | 'keys'>): Pick<DeviceAddress, 'token' | 'subscription' | 'app'>;
}

export function isMatch(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}

/** `ios, android or web`, for a message: the first such list loads 20 ms of locale data, which no start waits for. */
export function eitherOf(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
}

/** The fields of platforms whose devices are known by a token alone. */
export const TOKEN_FIELDS = ['token', 'token_kind', 'environment'];

export function required(field: string): AddressProblem {
  return { field, message: `The ${field} field is required.` };
}

export const BROWSERS_ONLY: AddressProblem = {
  field: 'subscription',
  message: 'The subscription field is for browsers only.',
};

export const IOS_ONLY: AddressProblem = { field: 'app', message: 'The app field is for iOS devices only.' };
