/** The rules for a device's address, for every way in: the API, the command line and imports. */
import { type Address, PLATFORMS, type Platform, PROVIDER_NAMES, PROVIDERS, type ProviderName } from '../push.ts';
import {
  type AddressProblem,
  type AddressRules,
  type AddressSettings,
  type DeviceAddress,
  eitherOf,
  type StoredAddress,
} from './addresses/address.ts';
import { apnsAddresses } from './addresses/apns.ts';
import { fcmAddresses } from './addresses/fcm.ts';
import { webPushAddresses } from './addresses/webpush.ts';

const ADDRESSES: Readonly<Record<ProviderName, AddressRules>> = {
  apns: apnsAddresses,
  fcm: fcmAddresses,
  webpush: webPushAddresses,
};

const BY_PLATFORM: ReadonlyMap<unknown, AddressRules> = new Map(
  PROVIDER_NAMES.map((name) => [PROVIDERS[name].platform, ADDRESSES[name]]),
);

/** The fields of addresses in the API and in import files, of all platforms. */
export const ADDRESS_FIELDS: readonly string[] = [
  ...new Set(['platform', ...PROVIDER_NAMES.flatMap((name) => ADDRESSES[name].fields)]),
];

/** The first thing wrong with an address, or null. The values may come from outside: their types are not believed. */
export function addressProblem(address: DeviceAddress, settings: AddressSettings): AddressProblem | null {
  return addressProblems(address, settings)[0] ?? null;
}

/** Everything that is wrong with an address, at most one thing a field. */
export function addressProblems(address: DeviceAddress, settings: AddressSettings): readonly AddressProblem[] {
  const rules = BY_PLATFORM.get(address.platform);
  if (rules !== undefined) return rules.problems(address, settings);
  return [{ field: 'platform', message: `The platform field must be ${eitherOf(PLATFORMS)}.` }];
}

/** The form in which an address without problems is stored and compared. */
export function storedAddress(address: DeviceAddress): StoredAddress {
  return { platform: address.platform, ...rulesOf(address.platform).stored(address) };
}

/** Converts a stored address back to the form of clients. */
export function givenAddress(platform: Platform, stored: Pick<Address, 'token' | 'keys'>) {
  return rulesOf(platform).given(stored);
}

/** Returns the part of a stored address that may be shown: the host of a browser's push service, or null. */
export function pushServiceOf(platform: Platform, token: string): string | null {
  return rulesOf(platform).pushService(token);
}

/** The app that an iOS device named; null: it named none, or is no iOS device. */
export function appOf(platform: Platform, keys: string | null): string | null {
  return rulesOf(platform).app(keys);
}

/** The beginning of a stored address: it tells it from almost all others, and sorts as whole addresses do. */
export function addressBeginning({ platform, token }: Pick<StoredAddress, 'platform' | 'token'>): string {
  return `${platform} ${token.slice(0, rulesOf(platform).distinctLength)}`;
}

export function defaultNameOf(platform: Platform): string {
  return rulesOf(platform).defaultName;
}

function rulesOf(platform: Platform): AddressRules {
  const rules = BY_PLATFORM.get(platform);
  if (rules === undefined) throw new Error('an address was not checked');
  return rules;
}
