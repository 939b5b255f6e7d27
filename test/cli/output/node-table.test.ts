import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandContext } from '../../../src/cli/context.ts';
import { nodeDocument, nodeTable } from '../../../src/cli/output/node-table.ts';
import type { NodeState } from '../../../src/store/postgres/nodes/states.ts';

const test = suite('cli: node table');

const NODE: NodeState = {
  id: 1,
  name: 'push-1',
  version: '1.0.0',
  address: 'http://10.0.0.21:8080',
  startedAtMs: Date.parse('2026-11-22T18:10:24.000Z'),
  leaseLeftMs: 9_000,
  silentMs: 1_000,
  hears: true,
  clockAheadMs: 3,
  health: { paused: [] },
};
const context = { process: { stdout: {} }, heading: (text: string) => text } as unknown as CommandContext;

test('A node that gives signs of life serves, and has no trouble', () => {
  assert.is(nodeDocument(NODE).state, 'serving');
  assert.match(shown(NODE), /^push-1 {2}http:\/\/10\.0\.0\.21:8080 {2}serving +1\.0\.0 +2026-11-22 18:10:24Z +-$/m);
});

test('One that gives none is silent, and lost once its lease is over', () => {
  assert.match(shown({ ...NODE, silentMs: 7_000, leaseLeftMs: 3_000 }), 'silent for 7.0s');
  assert.match(shown({ ...NODE, silentMs: 12_000, leaseLeftMs: -2_000 }), 'lost for 12s');
});

test('A node that accepts no events refuses, and says why', () => {
  const health = { paused: [], refuses_events: 'an unexpected error of the store' };
  assert.match(shown({ ...NODE, health }), / refusing +.* accepts no events: an unexpected error of the store$/m);
  assert.match(shown({ ...NODE, silentMs: 7_000, leaseLeftMs: 3_000, health }), 'silent for 7.0s');
  assert.match(shown({ ...NODE, health: { refuses_events: null } }), / serving .* -$/m);
});

test('The faults of a node stand behind it', () => {
  const troubled = { ...NODE, hears: false, clockAheadMs: -2_500, health: { paused: ['fcm', 'webpush_google'] } };
  assert.match(shown(troubled), "hears no notices; clock 2.5 s behind the database's; paused: fcm, webpush_google");
  assert.match(shown({ ...NODE, hears: null, health: {} }), / -$/m);
});

test.run();

function shown(node: NodeState): string {
  return nodeTable(context, [nodeDocument(node)]);
}
