import type { Finding } from '../../finding.ts';
import { readCredentials } from '../../providers/credentials.ts';
import { checkClock } from './clock.ts';
import type { Examined } from './examined.ts';
import { gather, installationOf } from './gather.ts';
import { checkProviders } from './providers.ts';
import { checkSignIn } from './sign-in.ts';

/**
 * Looks at everything that can keep a push from arriving: all that `status` shows, the whole database, and the
 * providers. Changes nothing, and names no secret.
 */
export async function examine(examined: Examined): Promise<readonly Finding[]> {
  const { config, clock } = examined;
  const credentials = readCredentials(config, installationOf(config));
  const [{ findings }, ...outside] = await Promise.all([
    gather(examined, true),
    checkClock(credentials.settings, clock),
    checkProviders(credentials, clock),
    checkSignIn(config, clock),
  ]);
  return [...findings, ...outside.flat()];
}
