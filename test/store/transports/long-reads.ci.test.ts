import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Actor, StoreUnavailable } from '../../../src/store/calls.ts';
import type { ServingStore } from '../../../src/store/client.ts';
import type { Held } from '../../../src/store/transports/call-line.ts';
import { groupsOf, LongReads } from '../../../src/store/transports/long-reads.ts';
import { openPostgresStore } from '../../../src/store/transports/postgres-client.ts';
import { openStoreThread } from '../../../src/store/transports/thread-client.ts';
import { BOB, CARL, EVE } from '../../support/cast.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';
import { aWorkspace } from '../../support/workspace.ts';

/** More than may wait. */
const MANY = 120;

const ENGINES: Readonly<Record<string, (opened: Resources) => Promise<ServingStore>>> = {
  sqlite: async (opened) => opened.add(await openStoreThread({ dataDir: temporaryFolder(), settings: someSettings() })),
  postgres: async (opened) =>
    opened.add(await openPostgresStore({ url: await temporarySchema(), settings: someSettings(), node: 'one' })),
};

for (const [engine, open] of Object.entries(ENGINES)) {
  test(`${engine}: any number of searches by one person, or of one workspace, refuses no one else's statistics`, async () => {
    await using opened = new Resources();
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

for (const [engine, open] of Object.entries(ENGINES)) {
  test(`${engine}: reads of a reader that has gone leave the line, and all readers together refuse no one else`, async () => {
    await using opened = new Resources();
    const store = await open(opened);
    await aWorkspace(store);
    const gone = new AbortController();
    const ended = Array.from({ length: 10 }, (_, n) => {
      const reader = { groups: ['readers', `reader ${n}`], signal: gone.signal };
      return store.stats({ sinceMs: 0 }, undefined, reader).then(
        () => 'answered',
        (error: unknown) => (error instanceof StoreUnavailable ? error.reason : String(error)),
      );
    });
    gone.abort();
    const reasons = await Promise.all(ended);
    assert.ok(reasons.filter((reason) => reason === 'closed').length >= 8, reasons.join());
    const many = Array.from({ length: MANY }, (_, n) => {
      const reader = { groups: ['readers', `reader ${n}`], signal: new AbortController().signal };
      return store.stats({ sinceMs: 0 }, undefined, reader).catch(() => null);
    });
    const own = Array.from({ length: 30 }, () => store.queueDepth({}));
    await Promise.all([...own, ...many]);
  });
}

test('a list of a reader occupies no store thread, and one of the server does', async () => {
  await using opened = new Resources();
  let calls = 0;
  const onHeld = (held: Held) => {
    if (held.by === 'group') calls += held.calls;
  };
  const store = opened.add(await openStoreThread({ dataDir: temporaryFolder(), settings: someSettings(), onHeld }));
  await aWorkspace(store);
  const before = calls;
  const reader = { groups: ['readers', 'reader 1'], signal: new AbortController().signal };
  assert.ok('events' in (await store.listEvents({ workspace: 'acme', limit: 10 }, undefined, reader)));
  assert.is(calls, before);
  await store.listEvents({ workspace: 'acme', limit: 10 });
  assert.is(calls, before + 1);
});

test('a key that looks for events of a type takes turns as a person does, in its workspace', () => {
  const args = { workspaceId: 7, boundKeyId: null, eventType: 'deploy', limit: 50 };
  const actor = { kind: 'key', id: 'one', scope: 'events:read' } as const;
  assert.equal(groupsOf({ name: 'listReachedEvents', args, actor }), ['workspace #7', 'key one']);
});

test('one person has six places, and of a workspace the person who asks most gives way', () => {
  const reads = new LongReads<Question>();
  const all: string[] = [];
  const refused = (email: string, many: number) => {
    const before = all.length;
    for (let n = 0; n < many; n += 1) reads.add(question(email, 'acme', all));
    return all.slice(before);
  };
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
  for (const read of asked) reads.add(read);
  const order = asked.map(() => reads.next()).map((read) => `${read?.email} ${read?.workspace}`);
  const [eve, bob, ofUmbrella] = [`${EVE} acme`, `${BOB} acme`, `${CARL} umbrella`];
  assert.equal(order, [eve, ofUmbrella, bob, ofUmbrella, eve, eve, eve, eve, eve]);
  assert.is(reads.next(), undefined);
});

test('if all places are taken, a workspace without a place gets a place of the fullest', () => {
  const reads = new LongReads<Question>();
  const refused: string[] = [];
  for (let n = 0; n < 50; n += 1) reads.add(question(`${n}@example.com`, `workspace ${n % 6}`, refused));
  assert.equal(refused, []);
  reads.add(question(EVE, 'new', refused));
  assert.equal(refused, ['49@example.com']);
  assert.is(reads.clear().length, 50);
});

test.run();

interface Question {
  readonly email: string;
  readonly workspace: string;
  readonly groups: readonly string[];
  readonly reader: undefined;
  readonly resolve: () => void;
}

/** `refused` gets the email if it is. */
function question(email: string, workspace: string, refused: string[] = []): Question {
  const groups = groupsOf({ name: 'stats', args: { workspace }, actor: someone(email) });
  return { email, workspace, groups, reader: undefined, resolve: () => void refused.push(email) };
}

function someone(email: string): Actor {
  return { kind: 'user', name: email, address: '192.0.2.1', session: 'none', manages: null };
}
