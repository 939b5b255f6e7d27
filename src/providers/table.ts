import type { Configured, ProviderConfigs } from '../config/config.ts';
import { PROVIDER_NAMES, type ProviderName, providerOf, type Route } from '../push.ts';
import { apns } from './apns/provider.ts';
import { fcm } from './fcm/provider.ts';
import type { Provider } from './provider.ts';
import { webpush } from './webpush/provider.ts';

const FOLDERS = { apns, fcm, webpush };

/** Every provider's running half. A missing entry or configuration table does not compile. */
export const PROVIDERS: { readonly [P in ProviderName]: Provider<ProviderConfigs[P], SettingsOf[P]> } = FOLDERS;

/** A delivery thread's settings; absent providers are off. */
export type ProviderSettings = { readonly [P in ProviderName]?: SettingsOf[P] };

export const REQUIRED_SETTINGS: readonly string[] = PROVIDER_NAMES.map(
  (name) => PROVIDERS[name].setup.required.setting,
);
export const KEY_FILES: readonly string[] = PROVIDER_NAMES.flatMap((name) => {
  const { required, trial } = PROVIDERS[name].setup;
  return trial === undefined ? [] : [required.setting];
});

/** Returns the operator's limit of pushes a minute; null: none. */
export function perMinuteOf(route: Route, config: Configured): number | null {
  return perMinute(providerOf(route), config);
}

function perMinute<P extends ProviderName>(name: P, config: Configured): number | null {
  const own = config[name];
  return own === null ? null : PROVIDERS[name].perMinute(own);
}

type SettingsOf = { [P in ProviderName]: ReturnType<(typeof FOLDERS)[P]['credentials']['read']> };
