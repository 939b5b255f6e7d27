import { temporaryFolder } from './folder.ts';
import { temporarySchema } from './postgres.ts';
import type { Resources } from './resources.ts';
import { aSandbox } from './sandbox.ts';
import { aTeam, type Env, serveHere, serverEnv, type Team, type TestServer } from './server.ts';

/** Servers that share a PostgreSQL and a sandbox, with a team that posts to the first of them. */
export interface TestServers extends Omit<TestServer, 'env' | 'server'> {
  readonly servers: readonly TestServer[];
}

export interface TestServersOptions {
  /** Instead of a schema of their own. */
  readonly url?: string;
  readonly count?: number;
  readonly env?: Env;
  /** Takes what they would have written to stdout. */
  readonly log?: (line: string) => void;
}

/** Whole servers in this process, as several machines would run them. */
export async function startTestServers(opened: Resources, options: TestServersOptions = {}): Promise<TestServers> {
  const { url = await temporarySchema(), count = 2, env, log } = options;
  const sandbox = opened.add(await aSandbox());
  const common = await serverEnv(sandbox, { PUSHCTL_STORE_URL: url, ...env });
  const servers: TestServer[] = [];
  for (let place = 1; place <= count; place += 1) {
    const own = { ...common, PUSHCTL_DATA_DIR: temporaryFolder(), PUSHCTL_STORE_NODE: `node-${place}` };
    const server = await serveHere(opened, own, { ...(log && { log }) });
    const team: Team = opened.add(await aTeam(own, server.url));
    servers.push({ server, sandbox, env: own, team });
  }
  const [first] = servers;
  if (first === undefined) throw new Error('no server was asked for');
  return { servers, sandbox, team: first.team };
}
