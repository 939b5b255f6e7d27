import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databasePath } from '../../../src/store/data-folder.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { migrate } from '../../../src/store/sqlite/migrations.ts';
import { handlerStatements } from '../../support/handler-statements.ts';
import { Resources } from '../../support/resources.ts';
import { startTestServer } from '../../support/server.ts';

/** Many more alerts are over than live, and the live ones have indexes of their own. */
const ALL_OF_THEM = /^SCAN alert(?! USING (?:COVERING )?INDEX alert_(?:of_channel|open|due))/;
/** Statements of a restore, and the page of ended alerts. */
const MAY = [
  /^\s*UPDATE alert SET state = 'expired'/,
  /alert\.state IN \('resolved', 'expired'\) AND alert\.event_id </,
];

/** How the one statement that holds these words is carried out. */
function stepsOf(words: string): readonly string[] {
  const db = new Database(':memory:');
  migrate(db);
  db.function('window_covers', (_only, _key) => 0);
  const [text = '', ...others] = handlerStatements().filter((statement) => statement.includes(words));
  assert.equal(others, []);
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
  const named = Object.fromEntries([...text.matchAll(/(?<!:):(\w+)/g)].map(([, name]) => [name, null]));
  const steps = plan.all(named).map(({ detail }) => detail);
  db.close();
  return steps;
}

test('The last bundle of a channel is found without its other reminders and what waits in it for its time', () => {
  const steps = stepsOf('SELECT kind, alert_id AS "alertId", level FROM event');
  assert.equal(steps, [
    'SEARCH event USING INDEX event_of_bundles (channel_id=?)',
    'SEARCH alert EXISTS USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
});

test('Waiting pushes are found without reading all events', () => {
  const steps = stepsOf('UNION ALL SELECT event_id FROM resend');
  assert.equal(
    steps.filter((step) => /\bevent\b/.test(step)),
    [
      'SEARCH event USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH event USING COVERING INDEX event_scheduled (send_at<?)',
    ],
  );
});

test('A round in a channel that alerts have reached reads the oldest open alerts, and the newest that came there', () => {
  const steps = stepsOf('AS newest JOIN alert');
  assert.equal(
    steps.filter((step) => /\b(?:alert|escalation|there)\b/.test(step)),
    [
      'SEARCH alert USING INDEX alert_open (channel_id>? AND channel_id<?)',
      'SEARCH there USING PRIMARY KEY (event_id=?)',
      'SEARCH escalation USING INDEX escalation_to (channel_id>? AND channel_id<?)',
      'SEARCH alert USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  );
});

test('A query of live alerts reads no ended alert', async () => {
  await using opened = new Resources();
  const { env } = await startTestServer(opened);
  const db = openDatabase(databasePath(String(env.PUSHCTL_DATA_DIR)));
  opened.onEnd(() => db.close());
  const texts = handlerStatements().filter((text) => /\balert\b/.test(text) && !MAY.some((rare) => rare.test(text)));
  assert.ok(texts.length >= 15);
  for (const text of texts) {
    const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
    const named = Object.fromEntries([...text.matchAll(/(?<!:):(\w+)/g)].map(([, name]) => [name, null]));
    const steps = plan.all(named).map(({ detail }) => detail);
    assert.equal(
      steps.filter((step) => ALL_OF_THEM.test(step)),
      [],
      text,
    );
  }
});

test.run();
