import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../src/process/package.ts';
import { type Connections, connectionsTo } from '../../../src/store/postgres/connections.ts';
import { migrate } from '../../../src/store/postgres/migrations.ts';
import { temporarySchema } from '../../support/postgres.ts';
import { Resources } from '../../support/resources.ts';

/**
 * The functions that servers of the previous release call. Record them at each release, and with each breaking
 * migration:
 * `RECORD_FUNCTIONS=1 npm run test:ci -- postgres/kept-functions`.
 */
const RECORD = packagePath('test', 'store', 'postgres', 'kept-functions.txt');

const HOW =
  'Servers of the previous release call these. Keep each for one release, and give its new form another name. Before 1.0.0, or with a breaking migration, record them again (RECORD_FUNCTIONS=1).';

test('Each function that the previous release calls keeps its parameters and result', async () => {
  await using opened = new Resources();
  const connections = await migrated(opened);
  if (process.env.RECORD_FUNCTIONS) await record(connections);
  assert.equal(await missingIn(connections), [], HOW);
});

test('A dropped or changed function counts as missing', async () => {
  await using opened = new Resources();
  const connections = await migrated(opened);
  await connections.lend(({ execute }) =>
    execute(`
      DROP FUNCTION join_node, leave_node, notify_nodes, begin_accept;
      CREATE FUNCTION leave_node(living BIGINT, at BIGINT) RETURNS BOOLEAN LANGUAGE sql AS 'SELECT true';
      CREATE FUNCTION notify_nodes(word TEXT) RETURNS VOID LANGUAGE sql AS 'SELECT';
      CREATE FUNCTION begin_accept() RETURNS BIGINT LANGUAGE sql AS 'SELECT 1::bigint';`),
  );
  const names = (await missingIn(connections)).map((signature) => signature.split('(')[0]);
  assert.equal(names, ['begin_accept', 'join_node', 'leave_node', 'notify_nodes']);
});

test.run();

async function migrated(opened: Resources): Promise<Connections> {
  const connections = connectionsTo({ url: await temporarySchema() });
  opened.onEnd(() => connections.close());
  await migrate(connections);
  return connections;
}

/** `name(parameters): result`. */
const SIGNATURES = `
  SELECT format('%s(%s): %s', proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid)) AS signature
  FROM pg_proc WHERE pronamespace = current_schema()::text::regnamespace`;

function signaturesIn({ lend }: Connections): Promise<readonly string[]> {
  return lend(({ sql }) => sql.values<object, string>(SIGNATURES)({}));
}

async function missingIn(connections: Connections): Promise<readonly string[]> {
  const found = new Set(await signaturesIn(connections));
  const called = readFileSync(RECORD, 'utf8').trim().split('\n');
  return called.filter((signature) => !found.has(signature));
}

async function record(connections: Connections): Promise<void> {
  const sources = globSync('src/store/**/*.ts', { cwd: packagePath('.') });
  const text = sources.map((file) => readFileSync(packagePath(file), 'utf8')).join('\n');
  const isCalled = (signature: string) => new RegExp(`\\b${signature.split('(')[0]}\\(`).test(text);
  writeFileSync(RECORD, `${(await signaturesIn(connections)).filter(isCalled).sort().join('\n')}\n`);
}
