import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readParts } from './arguments.ts';

const PARTS = ['ingest', 'idle', 'need'];

test('Parts are named in any number, and arguments that make no sense are rejected with what is wrong', () => {
  assert.equal(readParts([], PARTS), []);
  assert.equal(readParts(['idle', 'ingest'], PARTS), ['idle', 'ingest']);
  assert.is(readParts(['storms', 'idle'], PARTS), 'There is no part storms; there are ingest, idle, need.');
  assert.match(String(readParts(['--parse', 'x'], PARTS)), "Unknown option '--parse'");
});

test.run();
