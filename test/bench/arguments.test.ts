import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from './arguments.ts';

const PARTS = ['ingest', 'idle', 'need'];

test('Parts are named in any number, and arguments that make no sense are rejected with what is wrong', () => {
  assert.equal(readArguments([], PARTS), { parts: [], isSaving: false });
  assert.equal(readArguments(['idle', 'ingest'], PARTS), { parts: ['idle', 'ingest'], isSaving: false });
  assert.equal(readArguments(['--save', 'idle'], PARTS), { parts: ['idle'], isSaving: true });
  assert.is(readArguments(['storms', 'idle'], PARTS), 'There is no part storms; there are ingest, idle, need.');
  assert.match(String(readArguments(['--parse', 'x'], PARTS)), "Unknown option '--parse'");
});

test.run();
