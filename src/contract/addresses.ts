/** The rules for a device's address in the API, commands and imports. */
import { type Address, PLATFORMS, type Platform, PROVIDER_NAMES, PROVIDERS, type ProviderName } from '../push.ts';
import type { AddressRules, AddressSettings, DeviceAddress, StoredAddress } from './addresses/address.ts';
import { apnsAddresses } from './addresses/apns.ts';
import { fcmAddresses } from './addresses/fcm.ts';
import { webPushAddresses } from './addresses/webpush.ts';
import { type FieldProblem, fieldProblem } from './details.ts';

const ADDRESSES: Readonly<Record<ProviderName, AddressRules>> = {
  apns: apnsAddresses,
  fcm: fcmAddresses,
  webpush: webPushAddresses,
};

const BY_PLATFORM: ReadonlyMap<unknown, AddressRules> = new Map(
  PROVIDER_NAMES.map((name) => [PROVIDERS[name].platform, ADDRESSES[name]]),
);

/** All platforms' address fields in API and imports. */
export const ADDRESS_FIELDS: readonly string[] = [
  ...new Set(['platform', ...PROVIDER_NAMES.flatMap((name) => ADDRESSES[name].fields)]),
];

/** Returns the first fault, or null. Trusts no types of outside values. */
export function addressProblem(address: DeviceAddress, settings: AddressSettings): FieldProblem | null {
  return addressProblems(address, settings)[0] ?? null;
}

/** Returns all faults, at most one a field. */
export function addressProblems(address: DeviceAddress, settings: AddressSettings): readonly FieldProblem[] {
  const rules = BY_PLATFORM.get(address.platform);
  if (rules !== undefined) return rules.problems(address, settings);
  return [fieldProblem('platform', 'one_of', { values: PLATFORMS })];
}

export function storedAddress(address: DeviceAddress): StoredAddress {
  return { platform: address.platform, ...rulesOf(address.platform).stored(address) };
}

export function givenAddress(platform: Platform, stored: Pick<Address, 'token' | 'keys'>) {
  return rulesOf(platform).given(stored);
}

/** Returns the showable part: a browser's push service, or null. */
export function pushServiceOf(platform: Platform, token: string): string | null {
  return rulesOf(platform).pushService(token);
}

/** Returns the app that an iOS device named; null: none. */
export function appOf(platform: Platform, keys: string | null): string | null {
  return rulesOf(platform).app(keys);
}

/** Returns a stored address's beginning: almost unique, sorted like whole addresses. */
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
