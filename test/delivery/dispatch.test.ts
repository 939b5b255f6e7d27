import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dispatch, type RelayDeps } from '../../src/delivery/dispatch.ts';
import { LinkMemory } from '../../src/delivery/link-memory.ts';
import { OpenClaims } from '../../src/delivery/open-claims.ts';
import { systemClock } from '../../src/process/clock.ts';
import { claim, outcomesFor } from '../support/queue.ts';
import { aWorld } from '../support/world.ts';

const CLOCK = systemClock();

test('a store that always has more to record is asked once for each verdict', async () => {
  const world = await aWorld({ devices: { ios: 3 } });
  await world.post();
  const [batch] = await claim(world);
  assert.ok(batch);
  let asked = 0;
  const deps: RelayDeps = {
    store: {
      ...world.calls,
      async settleBatch() {
        asked += 1;
        if (asked > 10) throw new Error('asked for ever');
        return { finished: [], more: true };
      },
    },
    openClaims: new OpenClaims(CLOCK),
    pool: { send: async (sent) => outcomesFor(sent, { kind: 'accepted' }) },
    links: new LinkMemory(1_024, 1_000, CLOCK),
    clock: CLOCK,
    policy: { retryFirstMs: 5_000, retryBusyFirstMs: 60_000, retryMaxMs: 900_000 },
    threads: 1,
    log: pino({ enabled: false }),
    random: () => 0.5,
    after: () => () => {},
    receipts: true,
    isStopping: () => false,
  };
  await dispatch(batch, deps, { isHeld: () => false, judge: (answers) => answers, settled: () => {} });
  assert.is(asked, 3);
});

test.run();
