import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Actor, StoreUnavailable } from '../../src/store/calls.ts';
import { clientOver, withCalls } from '../../src/store/client.ts';
import type { CallRequest, Reply } from '../../src/store/reply.ts';

const KEY: Actor = { kind: 'key', id: '7m3q0f9t2xkd', scope: 'events:write' };
const SHELL: Actor = { kind: 'operator', name: 'ada', address: null };

test('a call carries its actor to the transport, also past calls that are carried out otherwise', async () => {
  const asked: CallRequest[] = [];
  const ask = async (call: CallRequest) => {
    asked.push(call);
    return { kind: 'answer', answer: null } as const;
  };
  const actors: (Actor | undefined)[] = [];
  const store = withCalls(
    clientOver({ ask, close: async () => {} }, () => SHELL),
    {
      async touchKey(_, actor) {
        actors.push(actor);
        return null;
      },
    },
  );
  await store.as(KEY).touchKey({ id: KEY.id });
  await store.as(KEY).dropImport({ importId: 'one' });
  await store.dropImport({ importId: 'one' });
  assert.equal(actors, [KEY]);
  const dropped = { name: 'dropImport', args: { importId: 'one' } };
  assert.equal(asked, [
    { ...dropped, actor: KEY },
    { ...dropped, actor: SHELL },
  ]);
});

test('a call of which a later part fails may be done', async () => {
  const replies: Reply[] = [
    { kind: 'answer', answer: { email: 'ada@example.com', closed: 60, more: true } },
    { kind: 'unavailable', reason: 'the disk is full' },
  ];
  const ask = async () => replies.shift() as Reply;
  const store = clientOver({ ask, close: async () => {} });
  try {
    await store.closeSessions({ email: 'ada@example.com' });
    assert.unreachable();
  } catch (error) {
    assert.ok(error instanceof StoreUnavailable && error.mayBeDone);
  }
});

test.run();
