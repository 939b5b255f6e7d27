import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { untilStopped } from '../../src/process/until-stopped.ts';

test.before(() => mock.timers.enable({ apis: ['setTimeout'] }));
test.after(() => mock.timers.reset());

test('A second signal within 500 ms is the same signal, and a later signal ends the process.', async () => {
  const process = new EventEmitter();
  const stopped = untilStopped(process as unknown as NodeJS.Process);
  process.emit('SIGINT');
  await stopped;
  mock.timers.tick(499);
  assert.equal([process.emit('SIGINT'), process.emit('SIGTERM')], [true, true]);
  mock.timers.tick(1);
  // Without a listener, Node.js ends the process.
  assert.equal([process.emit('SIGINT'), process.emit('SIGTERM')], [false, false]);
});

test.run();
