import { type Clock, systemClock } from '../process/clock.ts';
import { PROVIDER_NAMES, type ProviderName, providerOf, type Route } from '../push.ts';
import type { PushClient, SendLimits } from './provider.ts';
import { TokenKeeper, type Tokens } from './signing/tokens.ts';
import { PROVIDERS, type ProviderSettings } from './table.ts';

/** Returns a route's client; null: not configured. Rejects settings that credentials.ts refuses. */
export async function createClient(
  route: Route,
  settings: ProviderSettings,
  limits: Partial<SendLimits> = {},
  clock: Clock = systemClock(),
  tokens: Tokens = new TokenKeeper(clock),
): Promise<PushClient | null> {
  return createOf(providerOf(route), route, settings, limits, clock, tokens);
}

/**
 * Loads configured providers, so no push waits or meets files replaced by an upgrade. Others stay out: Apple's and
 * Google's libraries take 10 MB in each thread.
 */
export async function loadClients(settings: ProviderSettings): Promise<void> {
  const configured = PROVIDER_NAMES.filter((name) => settings[name] !== undefined);
  await Promise.all(configured.map((name) => PROVIDERS[name].loadClient()));
}

async function createOf<P extends ProviderName>(
  name: P,
  route: Route,
  settings: ProviderSettings,
  limits: Partial<SendLimits>,
  clock: Clock,
  tokens: Tokens,
): Promise<PushClient | null> {
  const own = settings[name];
  if (own === undefined) return null;
  const create = await PROVIDERS[name].loadClient();
  return create(route, own, clock, tokens, limits);
}
