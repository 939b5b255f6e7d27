import { freePort } from '../support/free-port.ts';
import type { Opened } from '../support/opened.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { aTeam, serveHere, serverEnv, type Team } from '../support/server.ts';

/** A server at an origin that no later test of this browser has, to which what the browser keeps of it would come back. */
export async function serveAtOwnOrigin(
  { sandbox }: { readonly sandbox: Sandbox },
  opened: Opened,
  options: Parameters<typeof serveHere>[2] = {},
): Promise<{ readonly url: string; readonly team: Team }> {
  const env = await serverEnv(sandbox, { PUSHCTL_LISTEN: `127.0.0.1:${await freePort()}` });
  const { url } = await serveHere(opened, env, options);
  return { url, team: opened.add(await aTeam(env, url)) };
}
