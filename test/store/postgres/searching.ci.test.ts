import * as assert from 'uvu/assert';
import { holdsWords, wordsOf } from '../../../src/store/handlers/events/event-pages.ts';
import { ADA } from '../../support/cast.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { nodesOver, nodeTests, statementsOf, type TestNode } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { aDevice, anEvent, aWorkspace, userIdOf } from '../../support/workspace.ts';

const test = nodeTests('searching on PostgreSQL');

const CHANNELS = Array.from({ length: 40 }, (_, nth) => `channel-${nth}`);
/** More than one page of a search looks at. */
const HAY = 6_000;
const LIMIT = 20;
/** Before all events. */
const FIRST = `evt_${'0'.repeat(26)}`;

/** Ada listens on 40 channels; one old event of the first is followed by so many that `hay` adds. */
async function hay({ inOne }: { readonly inOne: boolean }) {
  const [node] = (await nodesOver(await temporarySchema(), 1)) as [TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { channels: CHANNELS });
  granted(await node.calls.addDevice({ workspace: 'acme', email: ADA, ...aDevice({ subscribe: CHANNELS }) }));
  await node.calls.acceptEvent(anEvent(workspaceId, { channel: 'channel-0', title: 'needle' }));
  await node.execute(
    `INSERT INTO event (uuid, workspace_id, channel_id, title, level, urgency, had_links, targeted, received_at,
        expires_at)
      SELECT decode('01a1fd70f23b70008' || lpad(to_hex(n), 15, '0'), 'hex'), event.workspace_id, other.id,
        'hay', level, urgency, 0, 0, received_at, expires_at
      FROM event CROSS JOIN generate_series(1, ${HAY}) AS n
      JOIN channel AS other ON other.slug = 'channel-' || ${inOne ? '39' : `n % ${CHANNELS.length}`}`,
    { isLong: true },
  );
  return { node, workspaceId, userId: await userIdOf(node.calls, ADA) };
}

for (const inOne of [false, true]) {
  const where = inOne ? 'four where one of them has all' : 'each of which has some';
  test(`A page of a search over 5,000 events of forty channels is one statement, ${where}`, async () => {
    const { node, userId } = await hay({ inOne });
    for (const [ask, statements] of [
      [(before: object) => node.calls.listInbox({ userId, q: 'needle', limit: LIMIT, ...before }), inOne ? 4 : 1],
      [(before: object) => node.calls.listEvents({ workspace: 'acme', q: 'needle', limit: LIMIT, ...before }), 1],
    ] as const) {
      const asked = statementsOf();
      const first = granted(await ask({}));
      const texts = asked();
      assert.equal([first.events.length, typeof first.next, typeof first.searched_to], [0, 'string', 'string']);
      assert.is(texts.filter((text) => text.includes('SELECT event.id, event.uuid')).length, statements);
      const second = granted(await ask({ before: first.next }));
      assert.equal(
        [second.events.map(({ title }) => title), second.next, second.searched_to],
        [['needle'], null, null],
      );
    }
  });
}

test('A page of one type over 5,000 events is one statement, in both directions', async () => {
  const { node, workspaceId } = await hay({ inOne: false });
  await node.calls.acceptEvent(anEvent(workspaceId, { channel: 'channel-1', title: 'pin', eventType: 'a.b' }));
  const titlesOf = async (eventType: string, from: object) => {
    const asked = statementsOf();
    const page = granted(await node.calls.listEvents({ workspace: 'acme', eventType, limit: LIMIT, ...from }));
    assert.is(asked().filter((text) => text.includes('SELECT event.id, event.uuid')).length, 1);
    return { titles: page.events.map(({ title }) => title), next: page.next };
  };
  const first = await titlesOf('a.b', { after: FIRST });
  assert.equal([first.titles, typeof first.next], [[], 'string']);
  assert.equal(await titlesOf('a.b', { after: first.next }), { titles: ['pin'], next: null });
  const newest = await titlesOf('c', {});
  assert.equal([newest.titles, typeof newest.next], [[], 'string']);
  assert.equal(await titlesOf('c', { before: newest.next }), { titles: [], next: null });
});

test('PostgreSQL finds events with the words, in any script', async () => {
  const [node] = (await nodesOver(await temporarySchema(), 1)) as [TestNode];
  const { workspaceId } = await aWorkspace(node.calls, { channels: CHANNELS });
  const titles = [
    ...['ÄRGER', 'ärger', 'a\u0308rger', 'İstanbul', 'istanbul', 'ΣΊΣΥΦΟΣ', 'ＤＥＰＬＯＹ', 'ﬁle', 'K', '日本語', 'ｶﾞ'],
    ...['100%', '100', 'a_b', 'axb', 'back\\slash', '%', '_', 'Straße', 'STRASSE', '１２', '👍🏽 ok', 'Ⅷ', 'x'],
  ];
  for (const title of titles) await node.calls.acceptEvent(anEvent(workspaceId, { channel: 'channel-0', title }));
  for (const q of [
    ...titles,
    'i',
    'σίσυφοσ',
    'deploy',
    'file',
    'k',
    '本',
    'ガ',
    '0%',
    '\\',
    'SS',
    '12',
    'viii',
    'a b',
  ]) {
    const found = granted(await node.calls.listEvents({ workspace: 'acme', q, limit: 100 }));
    const isFound = holdsWords(wordsOf(q));
    const expected = titles.filter((title) => isFound({ title, description: null }));
    assert.equal(found.events.map(({ title }) => title).toReversed(), expected, q);
  }
});

test('Unread events are counted in one statement, up to 1,000 a workspace', async () => {
  const { node, userId } = await hay({ inOne: false });
  const asked = statementsOf();
  const { unread } = granted(await node.calls.listInbox({ userId, limit: LIMIT }));
  const texts = asked();
  assert.equal(
    unread.map(({ workspace, events, channels }) => [workspace, events, channels.map((channel) => channel.events)]),
    [['acme', 1_000, CHANNELS.map(() => 100)]],
  );
  assert.is(texts.filter((text) => text.includes('AS unread')).length, 1);
});

test.run();
