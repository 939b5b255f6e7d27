import type { Clock } from '../../clock.ts';
import type { Config } from '../../config/config.ts';
import { type Finding, ok } from '../../finding.ts';
import { configuredProvider, redirectUriOf } from '../../oidc/provider.ts';
import { oidcFindings } from '../../oidc/trouble.ts';

/** Whether people can be sent to the provider that they sign in by: what it says of itself is asked for. */
export async function checkSignIn(config: Config, clock: Clock): Promise<readonly Finding[]> {
  const provider = configuredProvider(config, clock);
  if (provider === null) return [];
  const trouble = await provider.examine();
  if (trouble !== null) return oidcFindings(provider);
  return [ok('oidc', `${provider.issuer} answers; it must know ${redirectUriOf(config)} as an address to redirect to`)];
}
