import { mock } from 'node:test';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureLog } from '../../src/http/failure-log.ts';
import { StoreUnavailable } from '../../src/store/calls.ts';

test('a store that closes since the server stops is no failure to log, and is not asked again', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  using timers = mock.timers;
  const lines: string[] = [];
  let asked = 0;
  const store = {
    async proveWritable(): Promise<never> {
      asked += 1;
      throw new StoreUnavailable('closed');
    },
  };
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const noteFailure = failureLog({ store, log });
  for (const reason of ['closing', 'closed']) noteFailure('id', new StoreUnavailable(reason));
  assert.equal(lines, []);
  noteFailure('id', new StoreUnavailable('disk full'));
  for (let round = 0; round < 3; round += 1) {
    timers.tick(60_000);
    await new Promise(setImmediate);
  }
  assert.equal([lines.length, asked], [1, 1]);
});

test.run();
