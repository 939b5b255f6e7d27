import type { Address, Environment, Platform, Route, TokenKind } from '../../push.ts';

/** A device's address as a client gives it. Which fields there are is up to its platform. */
export interface DeviceAddress {
  readonly platform: Platform;
  readonly environment?: Environment;
  readonly tokenKind?: TokenKind;
  readonly token: string;
  readonly keys?: Readonly<Record<string, string>>;
}

/** An address as it is stored and compared. `environment` null: its platform knows none. */
export interface StoredAddress extends Address {
  readonly platform: Platform;
  readonly route: Route;
  readonly environment: Environment | null;
}

/** What is wrong with the field that is named, in the name of the API; the message is a full sentence. */
export interface AddressProblem {
  readonly field: string;
  readonly message: string;
}

/** What of the configuration the rules go by. `pushHosts`: hosts of push services beside the known ones. */
export interface AddressSettings {
  readonly pushHosts: readonly string[];
}

/** What each provider's file says of the addresses on its platform. */
export interface AddressRules {
  /** What a device is called that was given no name. */
  readonly defaultName: string;
  /** The fields of an address in the API and in import files, beside `platform`. */
  readonly fields: readonly string[];
  /** At most one thing a field. The values may come from outside: their types are not believed. */
  problems(address: DeviceAddress, settings: AddressSettings): readonly AddressProblem[];
  /** The one form of an address that has no problems, and its route. */
  stored(address: DeviceAddress): Omit<StoredAddress, 'platform'>;
}

export function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}

/** The fields of platforms whose devices are known by a token alone. */
export const TOKEN_FIELDS = ['token', 'token_kind', 'environment'];
