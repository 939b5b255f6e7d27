import * as assert from 'uvu/assert';
import { type QuietHours, quietTimes, storedQuietHours } from '../../../src/contract/quiet-hours.ts';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { migrate } from '../../../src/store/postgres/migrations.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { aNode, nodeTests } from '../../support/postgres-nodes.ts';
import { granted } from '../../support/refusals.ts';
import { anEvent, aWorkspace } from '../../support/workspace.ts';

const test = nodeTests('quiet hours over PostgreSQL');

const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata', 'Pacific/Auckland', 'Etc/GMT+5'];
const SPANS = [
  ['22:00', '07:00'],
  ['02:00', '03:00'],
  ['00:00', '00:00'],
  ['13:30', '13:29'],
] as const;
/** Fridays, before nights in which clocks are set. */
const STARTS = ['2026-03-06', '2026-03-27', '2026-04-03', '2026-09-25', '2026-10-23', '2026-10-30'];
const STEP_MS = 17 * 60_000;
const STEPS = 260;

test('it says of each time what SQLite says', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  await migrate(connections);
  const times = STARTS.flatMap((start) =>
    Array.from({ length: STEPS }, (_, nth) => Date.parse(`${start}T00:00Z`) + nth * STEP_MS),
  );
  const isQuiet = quietTimes();
  const days = [undefined, ['sat'], ['fri', 'sun']] as const;
  for (const [nth, timezone] of ZONES.entries()) {
    for (const [from, to] of SPANS) {
      const hours: QuietHours = { from, to, timezone };
      const some = days[nth % days.length];
      const stored = storedQuietHours({ ...hours, ...(some && { days: some }) });
      const answers = await connections.lend(({ ask }) =>
        ask({ text: 'SELECT is_quiet($1, at) AS is FROM unnest($2::bigint[]) AS at', values: [stored, times] }),
      );
      const theirs = (answers.rows as readonly { is: boolean }[]).map(({ is }) => is);
      const ours = times.map((at) => isQuiet(stored, at));
      assert.equal(theirs, ours, stored);
      assert.ok(ours.includes(true), stored);
    }
  }
  await connections.close();
});

test('a zone that the database does not know is refused, and makes nothing quiet where it is stored', async () => {
  const connections = connectionsTo({ url: await temporarySchema() });
  await migrate(connections);
  const stored = storedQuietHours({ from: '00:00', to: '00:00', timezone: 'Mars/Base' });
  const { rows } = await connections.lend(({ ask }) =>
    ask({
      text: `SELECT knows_timezone('Mars/Base') AS unknown, knows_timezone('Europe/Berlin') AS known, is_quiet($1, 0) AS quiet`,
      values: [stored],
    }),
  );
  assert.equal(rows, [{ unknown: false, known: true, quiet: false }]);
  await connections.close();
});

test('what an older node reads of an alert with an event says nothing of quiet hours', async () => {
  const { calls, store } = await aNode({ url: await temporarySchema() });
  const { workspaceId } = await aWorkspace(calls, { devices: { ios: 1 } });
  const quiet: QuietHours = { from: '00:00', to: '00:00', timezone: 'UTC' };
  granted(await calls.updateChannel({ workspace: 'acme', slug: 'alerts', quiet }));
  await calls.acceptEvent(anEvent(workspaceId));
  const rows = await store.connections.lend(({ sql }) => sql.all('SELECT alert, quiet FROM event')({}));
  assert.equal(rows, [{ alert: null, quiet: 1 }]);
  await store.close();
});

test.run();
