import type { Address, Environment, Platform, Route } from '../../push.ts';
import type { BodyOf } from '../api-types.ts';
import type { FieldProblem } from '../details.ts';

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
  /**
   * Returns at most one fault a field, which shows nothing of the address, as it may be secret. Trusts no types of
   * outside values.
   */
  problems(address: DeviceAddress, settings: AddressSettings): readonly FieldProblem[];
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

export const TOKEN_FIELDS = ['token', 'token_kind', 'environment'];
