import { LEFT_FOR_PROVIDER } from '../session.ts';
import { ask } from './ask.ts';
import { useLoad } from './use-load.ts';

export function useWays() {
  return useLoad('ways', () => ask('get', '/v1/session/ways', {}));
}

/** Leaves for the provider, which sends the browser back (`session.ts`). `confirm`: to prove identity. */
export function goToProvider({ confirm = false } = {}): void {
  sessionStorage.setItem(LEFT_FOR_PROVIDER, location.pathname + location.search);
  location.assign(`/api/v1/session/oidc${confirm ? '?confirm=true' : ''}`);
}

/** Returns the app's address left for the provider. */
export function leftAddress(): string {
  return sessionStorage.getItem(LEFT_FOR_PROVIDER) ?? '/';
}
