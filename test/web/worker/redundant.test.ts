import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startWorker } from './start-worker.ts';

const PLACE = { workspace: 'acme', channel: 'db' };
const TAKEN = { ...PLACE, quiet: true, alert_state: 'acknowledged' };

test('If alerts are taken together one notice is left, and open alerts and other places stay', async () => {
  const { push, shown } = startWorker();
  const show = (tag: string, data: object) => push({ notification: { title: tag, tag, silent: true, data } });
  await show('elsewhere', { ...TAKEN, channel: 'web', alert_id: 'evt_0' });
  await show('open', { ...PLACE, alert_id: 'evt_9', alert_state: 'open' });
  await show('plain', { ...PLACE, quiet: true });
  for (const id of ['evt_2', 'evt_3']) await show(id, { ...TAKEN, alert_id: id });
  await show('bundle', { ...TAKEN, alert_id: 'evt_3', open_alerts: 2 });
  assert.equal(
    shown.map(({ tag }) => tag),
    ['elsewhere', 'open', 'plain', 'bundle'],
  );
  // Push services keep no order.
  await show('evt_1', { ...TAKEN, alert_id: 'evt_1' });
  await show('evt_5', { ...TAKEN, alert_id: 'evt_1', alert_state: 'resolved' });
  assert.equal(
    shown.map(({ tag }) => tag),
    ['elsewhere', 'open', 'plain', 'bundle', 'evt_5'],
  );
});

test('A notice of an alert that is newer than its bundle stays at any time, and a late one of the bundle closes', async () => {
  const { push, shown } = startWorker();
  const show = (tag: string, timestamp: number, data: object) =>
    push({ notification: { title: tag, tag, silent: true, timestamp, data } });
  await show('bundle', 2_000, { ...TAKEN, alert_id: 'evt_3', open_alerts: 3 });
  await show('newer alert', 2_001, { ...TAKEN, alert_id: 'evt_4' });
  await show('of the bundle', 2_000, { ...TAKEN, alert_id: 'evt_2' });
  await show('acknowledged again since', 2_500, { ...TAKEN, alert_id: 'evt_1' });
  const left = ['bundle', 'newer alert', 'acknowledged again since'];
  assert.equal(
    shown.map(({ tag }) => tag),
    left,
  );
  await show('older bundle', 1_000, { ...TAKEN, alert_id: 'evt_3', open_alerts: 2 });
  assert.equal(
    shown.map(({ tag }) => tag),
    [...left, 'older bundle'],
    'it speaks of none of these',
  );
});

test.run();
