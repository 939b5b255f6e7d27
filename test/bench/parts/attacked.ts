import { packageVersion } from '../../../src/package.ts';
import { socketPath } from '../../../src/store/data-folder.ts';
import { connectSocket } from '../../../src/store/transports/socket-client.ts';
import { openLocalStore } from '../../../src/store/transports/socket-or-in-process.ts';
import { EVE } from '../../support/cast.ts';
import { signIn } from '../../support/sign-in.ts';
import { additionsTo, anEvent, workspaceIdOf } from '../../support/workspace.ts';
import { SETTINGS } from '../fixture.ts';
import type { AttackerHandlers } from '../processes/attacker.ts';
import type { Child } from '../processes/child.ts';
import type { Server, Site } from '../site.ts';

/** What a search looks through. */
const EVENTS = 50_000;
const ACCEPTED_AT_ONCE = 1_000;

/** A server, and a client that is ready to attack it: with a sender's key, and as a member of a full workspace. */
export async function startAttacked(site: Site): Promise<{ server: Server; attacker: Child<AttackerHandlers> }> {
  const dataDir = await site.dataFolder('empty');
  await fill(dataDir);
  const server = await site.startServerIn(dataDir, { sends: false });
  const store = await connectSocket({ path: socketPath(dataDir), version: packageVersion() });
  if (store === null) throw new Error('the server has no socket');
  const token = await signIn({ http: server, store }, EVE);
  await store.close();
  const attacker = await site.start<AttackerHandlers>('attacker');
  await attacker.ask('prepare', { url: server.url, key: (await site.fixture()).attackerKey, token });
  return { server, attacker };
}

async function fill(dataDir: string): Promise<void> {
  const store = await openLocalStore({ dataDir, settings: { ...SETTINGS } });
  await additionsTo(store, { workspace: 'evil' }).join(EVE);
  const workspaceId = await workspaceIdOf(store, 'evil');
  for (let accepted = 0; accepted < EVENTS; accepted += ACCEPTED_AT_ONCE) {
    const events = Array.from({ length: ACCEPTED_AT_ONCE }, () => store.acceptEvent(anEvent(workspaceId)));
    for (const { kind } of await Promise.all(events)) if (kind !== 'accepted') throw new Error(`an event is ${kind}`);
  }
  await store.close();
}
