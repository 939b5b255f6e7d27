import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Integrator } from '../../../src/http/auth/api-key.ts';
import { applyChange } from '../../../src/http/senders/delivery.ts';
import { noEvent } from '../../../src/store/refusals.ts';

const SCHEDULED = 120;
const WITHDRAW = { kind: 'withdraw', channel: 'alerts', collapseKey: 'x' } as const;

test('The scheduled events of a sequence are cancelled together, some at once, and not one by one', async () => {
  const { by, cancelled, mostAtOnce } = keyWith(SCHEDULED);
  assert.ok(await applyChange(by, WITHDRAW));
  assert.is(cancelled(), SCHEDULED);
  assert.is(mostAtOnce(), 50);
});

test('An event that the key may not cancel does not keep the others', async () => {
  const { by, cancelled } = keyWith(SCHEDULED, 'evt_3');
  assert.not(await applyChange(by, WITHDRAW));
  assert.is(cancelled(), SCHEDULED - 1);
});

test.run();

/** A key of a workspace with scheduled events. It may not cancel the event `forbidden`. */
function keyWith(events: number, forbidden = '') {
  let cancelled = 0;
  let open = 0;
  let most = 0;
  const store = {
    listAlerts: async () => ({ alerts: [] }),
    showAlert: async () => noEvent('x'),
    findScheduled: async () => ({ publicIds: Array.from({ length: events }, (_, n) => `evt_${n}`) }),
    async cancelEvent({ publicId }: { publicId: string }) {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      if (publicId === forbidden) return noEvent(publicId);
      cancelled += 1;
      return {};
    },
  };
  const by = { key: { workspaceId: 1, boundKeyId: null }, apiKey: '', store } as unknown as Integrator;
  return { by, cancelled: () => cancelled, mostAtOnce: () => most };
}
