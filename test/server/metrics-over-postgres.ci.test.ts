import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporarySchema } from '../support/postgres.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

test('A server over PostgreSQL measures its commits, and counts the servers that share the database', async () => {
  await using opened = new Resources();
  const env = { PUSHCTL_METRICS_LISTEN: '127.0.0.1:0', PUSHCTL_STORE_URL: await temporarySchema() };
  const { server, team } = await startTestServer(opened, { env });
  assert.is((await team.post()).status, 202);
  const text = await (await fetch(String(server.metricsUrl))).text();
  assert.match(text, /^pushctl_events_accepted_total 1$/m);
  assert.match(text, /^pushctl_store_commit_duration_seconds_count [1-9]\d*$/m);
  assert.match(text, /^pushctl_queue_waiting\{route="fcm",lane="standard"\} 0$/m);
  assert.match(text, /^pushctl_living_nodes 1$/m);
  assert.not.match(text, /^pushctl_database_bytes\{/m);
});

test.run();
