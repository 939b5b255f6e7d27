import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Actor, StoreUnavailable } from '../../../src/store/calls.ts';
import type { ServingStore } from '../../../src/store/serving-store.ts';
import { groupsOf, LongReads } from '../../../src/store/transports/long-reads.ts';
import { openPostgresStore } from '../../../src/store/transports/postgres-client.ts';
import { openStoreThread } from '../../../src/store/transports/thread-client.ts';
import { BOB, CARL, EVE } from '../../support/cast.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { Opened } from '../../support/opened.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { someSettings } from '../../support/store.ts';
import { aWorkspace } from '../../support/workspace.ts';

/** More than may wait. */
const MANY = 120;

const ENGINES: Readonly<Record<string, (opened: Opened) => Promise<ServingStore>>> = {
  sqlite: async (opened) => opened.add(await openStoreThread({ dataDir: temporaryFolder(), settings: someSettings() })),
  postgres: async (opened) =>
    opened.add(await openPostgresStore({ url: await temporarySchema(), settings: someSettings(), node: 'one' })),
};

for (const [engine, open] of Object.entries(ENGINES)) {
  test(`${engine}: any number of searches by one person, or of one workspace, refuses no one else's statistics`, async () => {
    await using opened = new Opened();
    const store = await open(opened);
    await aWorkspace(store);
    const refusedAfterMs: number[] = [];
    const searchOf = (email: string, ofWorkspace: string) => {
      const search = { userId: 1, ofWorkspace, q: 'disk', limit: 100 };
      const askedAtMs = performance.now();
      return store.listInbox(search, someone(email)).catch((error: unknown) => {
        if (error instanceof StoreUnavailable) refusedAfterMs.push(performance.now() - askedAtMs);
      });
    };
    const searches = Array.from({ length: MANY }, () => searchOf(EVE, 'umbrella'));
    const crowd = Array.from({ length: MANY }, (_, n) => searchOf(`${n}@example.com`, 'umbrella'));
    const statistics = Array.from({ length: 8 }, () => store.stats({ workspace: 'acme', sinceMs: 0 }));
    assert.ok((await Promise.all(statistics)).every((answer) => !('refused' in answer)));
    await Promise.all([...searches, ...crowd]);
    assert.ok(refusedAfterMs.length > MANY);
    // A client that asks again at once does so once a second.
    assert.ok(Math.min(...refusedAfterMs) > 900, `${Math.min(...refusedAfterMs)} ms`);
  });
}

test('a key that looks for events of a type takes turns as a person does, in its workspace', () => {
  const args = { workspaceId: 7, boundKeyId: null, eventType: 'deploy', limit: 50 };
  const actor = { kind: 'key', id: 'one', scope: 'events:read' } as const;
  assert.equal(groupsOf({ name: 'listReachedEvents', args, actor }), ['workspace #7', 'key one']);
});

test('one person has six places, and of a workspace the person who asks most gives way', () => {
  const reads = new LongReads<Question>();
  const refused = (email: string, many: number) =>
    Array.from({ length: many }, () => reads.add(question(email, 'acme'))?.email).filter((one) => one !== undefined);
  assert.equal(refused(EVE, 8), [EVE, EVE]);
  assert.equal(refused(BOB, 5), [EVE]);
  assert.equal(refused(CARL, 1), [BOB], 'of equals the one that came last');
});

test('workspaces take turns, and in them people, in the order in which they asked', () => {
  const reads = new LongReads<Question>();
  const asked = [
    ...Array.from({ length: 6 }, () => question(EVE, 'acme')),
    question(BOB, 'acme'),
    question(CARL, 'umbrella'),
    question(CARL, 'umbrella'),
  ];
  for (const one of asked) assert.is(reads.add(one), undefined);
  const order = asked.map(() => reads.next()).map((one) => `${one?.email} ${one?.workspace}`);
  const [eve, bob, ofUmbrella] = [`${EVE} acme`, `${BOB} acme`, `${CARL} umbrella`];
  assert.equal(order, [eve, ofUmbrella, bob, ofUmbrella, eve, eve, eve, eve, eve]);
  assert.is(reads.next(), undefined);
});

test('where all places are taken, a workspace that has none gets one of the fullest', () => {
  const reads = new LongReads<Question>();
  for (let n = 0; n < 50; n += 1) assert.is(reads.add(question(`${n}@example.com`, `workspace ${n % 6}`)), undefined);
  assert.is(reads.add(question(EVE, 'new'))?.workspace, 'workspace 1');
  assert.is(reads.clear().length, 50);
});

test.run();

interface Question {
  readonly email: string;
  readonly workspace: string;
  readonly groups: readonly string[];
}

function question(email: string, workspace: string): Question {
  return { email, workspace, groups: groupsOf({ name: 'stats', args: { workspace }, actor: someone(email) }) };
}

function someone(email: string): Actor {
  return { kind: 'user', name: email, address: '192.0.2.1', session: 'none', manages: null };
}
