import type { Config } from '../../config/config.ts';
import { configuredProvider, redirectUriOf } from '../../oidc/provider.ts';
import { oidcFindings } from '../../oidc/trouble.ts';
import type { Clock } from '../../process/clock.ts';
import { type Finding, ok } from '../../process/finding.ts';
import { readCredentials } from '../../providers/credentials.ts';
import { TokenKeeper, type Tokens } from '../../providers/signing/tokens.ts';
import { withoutRepeats } from './causes.ts';
import type { Examined } from './examined.ts';
import { gather, installationOf } from './gather.ts';
import { checkClock, checkProviders } from './providers.ts';

/**
 * Examines everything that can stop a push: what `status` shows, the whole database, and the providers. Changes nothing
 * and names no secret. `tokens`: of the servers, if they answer.
 */
export async function examine(
  examined: Examined,
  tokens: Tokens = new TokenKeeper(examined.clock),
): Promise<readonly Finding[]> {
  const { config, clock } = examined;
  const credentials = readCredentials(config, installationOf(config));
  const [{ findings }, ...outside] = await Promise.all([
    gather(examined, true),
    checkClock(credentials.settings, clock),
    checkProviders(credentials, clock, tokens),
    checkSignIn(config, clock),
  ]);
  return withoutRepeats([...findings, ...outside.flat()]);
}

export async function checkSignIn(config: Config, clock: Clock): Promise<readonly Finding[]> {
  const provider = configuredProvider(config, clock);
  if (provider === null) return [];
  const trouble = await provider.examine();
  const findings = oidcFindings(provider);
  if (trouble !== null) return findings;
  return [
    ...findings,
    ok('oidc', `${provider.issuer} answers; register ${redirectUriOf(config)} there as a redirect URI`),
  ];
}
