import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Out, Stream } from '../../../src/http/streams/stream.ts';
import { ADA } from '../../support/cast.ts';

const OWNER = { tokenHash: 'hash', user: { id: 1, email: ADA, name: 'Ada' }, memberships: [], waiting: [] };

/** A response whose client has left so much unread. */
function aResponse(writableLength: number) {
  const did: string[] = [];
  const out: Out & { -readonly [K in keyof Out]: Out[K] } = {
    writableLength,
    destroyed: false,
    writableEnded: false,
    write: (text: string) => did.push(text) > 0,
    end() {
      did.push('end');
      return this as never;
    },
    destroy() {
      did.push('destroy');
      return this as never;
    },
  };
  return { out, did };
}

test('a client that does not read is cut off, and nothing more is kept for it', () => {
  const { out, did } = aResponse(65_536);
  const stream = new Stream(OWNER);
  stream.open(out);
  stream.write('as much as it may leave unread');
  out.writableLength = 65_537;
  stream.write('one more');
  assert.equal(did, ['as much as it may leave unread', 'destroy']);
});

test('nothing is written to a response that has ended, or whose client has gone', () => {
  const { out, did } = aResponse(0);
  const stream = new Stream(OWNER);
  stream.open(out);
  out.destroyed = true;
  stream.write('too late');
  out.destroyed = false;
  out.writableEnded = true;
  stream.write('too late');
  assert.equal(did, []);
});

test('one that should end before it is open ends as it opens', () => {
  const { out, did } = aResponse(0);
  const stream = new Stream(OWNER);
  stream.write('too early');
  stream.end();
  stream.open(out);
  assert.equal(did, ['end']);
});

test.run();
