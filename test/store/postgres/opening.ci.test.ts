import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeAuthority, makeServerCertificate } from '../../../src/sandbox/credentials.ts';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { errorReply, openingProblem, unavailableReason } from '../../../src/store/postgres/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { clusterFolder, temporarySchema } from '../../support/postgres.ts';
import { answering, askingForPassword, overTls } from '../../support/postgres-front.ts';
import { Resources } from '../../support/resources.ts';
import { someSettings } from '../../support/store.ts';

const settings = someSettings();

test('A database with the tables of another program is refused, and stays as it is', async () => {
  const url = await temporarySchema();
  const connections = connectionsTo({ url });
  await connections.lend(({ execute }) => execute('CREATE TABLE customers (id INT)'));
  await rejects(openPostgres({ url, settings }), /holds the tables of another program/);
  const tables = await connections.lend(({ sql }) =>
    sql.values<object, string>(`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`)({}),
  );
  assert.equal(tables, ['customers']);
  await connections.close();
});

const VERSION = (text: string) => `
  CREATE FUNCTION version() RETURNS TEXT LANGUAGE sql AS $$ SELECT '${text}' $$`;

for (const [title, front, told] of [
  ['CockroachDB', VERSION('CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu)'), /is CockroachDB, which lacks parts/],
  ['YugabyteDB', VERSION('PostgreSQL 15.2-YB-2024.2.0.0-b0 on x86_64'), /is YugabyteDB, which lacks parts/],
  [
    'a database whose locks belong to one connection',
    'CREATE FUNCTION pg_try_advisory_xact_lock(INT, INT) RETURNS BOOLEAN LANGUAGE sql AS $$ SELECT true $$',
    /has no advisory locks that connections share/,
  ],
  [
    'a table that Citus distributes',
    `CREATE TABLE pg_dist_partition (logicalrelid REGCLASS, partmethod "char");
     INSERT INTO pg_dist_partition VALUES ('pg_dist_partition', 'h')`,
    /has the table pg_dist_partition distributed by Citus/,
  ],
] as const) {
  test(`A start refuses ${title}, by what it answers`, async () => {
    const schema = await temporarySchema();
    const name = /search_path=(\w+)/.exec(decodeURIComponent(schema))?.[1];
    const url = new URL(schema);
    // A front's answers are found before PostgreSQL's own.
    url.searchParams.set('options', `-c search_path=${name},pg_catalog`);
    const connections = connectionsTo({ url: url.href });
    await connections.lend(({ execute }) => execute(front));
    await connections.close();
    await rejects(openPostgres({ url: url.href, settings, node: 'one' }), told);
  });
}

test('A database that is not there, or not to be reached, is reported without the password', async () => {
  const url = new URL(await temporarySchema());
  url.password = 'secret';
  const absent = new URL(url);
  absent.pathname = '/absent';
  await rejects(openPostgres({ url: absent.href, settings }), /absent does not exist/);
  const unreachable = new URL(url);
  unreachable.searchParams.set('host', '/nowhere');
  await rejects(openPostgres({ url: unreachable.href, settings }), /^\/nowhere\/postgres cannot be reached: /);
  for (const address of [absent, unreachable]) {
    const error = await openPostgres({ url: address.href, settings }).catch((thrown: Error) => thrown);
    assert.not.match(String((error as Error).stack), 'secret');
  }
});

test('The error for a user who may not use the schema, or not make tables in it, names the missing right', async () => {
  const url = new URL(await temporarySchema());
  const name = `poor_${process.pid}`;
  const owner = connectionsTo({ url: url.href });
  const schema = await owner.lend(({ sql }) => sql.value<object, string>('SELECT current_schema()')({}));
  await owner.lend(({ execute }) => execute(`CREATE ROLE ${name} LOGIN`));
  const poor = new URL(url);
  poor.username = name;
  await rejects(openPostgres({ url: poor.href, settings }), /no schema .* may use.*GRANT/);
  await owner.lend(({ execute }) => execute(`GRANT USAGE ON SCHEMA ${schema} TO ${name}`));
  await rejects(openPostgres({ url: poor.href, settings }), /permission denied for schema .*GRANT CREATE/);
  await owner.lend(({ execute }) => execute(`GRANT CREATE ON SCHEMA ${schema} TO ${name}`));
  const store = await openPostgres({ url: poor.href, settings });
  await Promise.all([store.close(), owner.close()]);
});

test('If TLS is asked for and not offered, nothing is sent without it', async () => {
  const url = new URL(await temporarySchema());
  url.searchParams.set('sslmode', 'verify-full');
  await rejects(openPostgres({ url: url.href, settings }), /offers no TLS.*sslmode=disable/);
});

test('A certificate that is not trusted, or of another name, is reported, and a good one lets in', async () => {
  await using opened = new Resources();
  const nowMs = Date.now();
  const authority = await makeAuthority(nowMs);
  const folder = temporaryFolder();
  const certificate = await makeServerCertificate(authority, nowMs);
  const [way, elsewhere] = await Promise.all([
    overTls(await clusterFolder(), certificate),
    overTls(await clusterFolder(), certificate, '127.0.0.2'),
  ]);
  for (const closable of [way, elsewhere]) opened.add(closable);
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.certPem);
  const own = new URL(await temporarySchema());
  const over = (place: string, parameters: Readonly<Record<string, string>>) => {
    const url = new URL(`postgres://postgres@${place}/postgres`);
    const all = { options: own.searchParams.get('options') ?? '', uselibpqcompat: 'true', ...parameters };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return openPostgres({ url: url.href, settings });
  };
  await rejects(
    over(`127.0.0.1:${way.port}`, { sslmode: 'verify-full' }),
    /not trusted: .*Set \[store\] ca_file to the CA/,
  );
  await rejects(
    over(`127.0.0.2:${elsewhere.port}`, { sslmode: 'verify-full', sslrootcert: ca }),
    /certificate for another name.*the name of its certificate/,
  );
  for (const parameters of [{ sslmode: 'verify-full', sslrootcert: ca }, { sslmode: 'require' }]) {
    await (await over(`localhost:${way.port}`, parameters)).close();
  }
});

test('The errors of a server that asks for a password, and of one that is too old, say so', async () => {
  await using opened = new Resources();
  const locked = opened.add(await askingForPassword());
  const url = (port: number) => `postgres://pushctl@127.0.0.1:${port}/push`;
  await rejects(
    openPostgres({ url: url(locked.port), settings }),
    /asks for a password, but none is configured\..*\[store\] password_file/,
  );
  const old = opened.add(
    await answering([
      [/server_version_num/, '130014'],
      [/current_schema/, 'public'],
      [/server_encoding/, 'UTF8'],
    ]),
  );
  await rejects(
    openPostgres({ url: url(old.port), settings }),
    /^127\.0\.0\.1:\d+\/push is PostgreSQL 13\.14; pushctl needs 14 or newer\. Upgrade the server\.$/,
  );
});

test('A server that does not answer is given up', async () => {
  const url = new URL(await temporarySchema());
  const silent = createServer(() => {});
  const folder = temporaryFolder();
  silent.listen(join(folder, '.s.PGSQL.5432'));
  url.searchParams.set('host', folder);
  await rejects(openPostgres({ url: url.href, settings, connectMs: 100 }), /cannot be reached: .*timeout/);
  silent.close();
});

test('A failure of the database is reported in words, with what to do', () => {
  const messageOf = (code: string, message = 'so it is') => {
    const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code });
    return openingProblem('db/pushctl', error).message;
  };
  assert.match(messageOf('28P01'), 'db/pushctl rejects the user or its password');
  assert.match(messageOf('28000', 'no pg_hba.conf entry'), /no pg_hba\.conf entry.*pg_hba\.conf of the server/);
  assert.match(messageOf('28000', 'Peer authentication failed for user "push"'), 'pg_ident.conf');
  assert.match(messageOf('25006'), /is read-only.*primary/);
  assert.match(messageOf('53300'), /no free connection.*max_connections/);
  assert.match(messageOf('57P03'), 'starting or stopping');
  assert.match(messageOf('XX999'), 'so it is (XX999)');
});

test('A failure of the database makes a call unavailable, and one of the program does not', () => {
  const reason = (code: string) => unavailableReason(Object.assign(new pg.DatabaseError('x', 0, 'error'), { code }));
  for (const code of ['53100', '53300', '25006', '57014', '57P03', '40001', '55P03', '58030', 'XX001'])
    assert.is(reason(code), `x (${code})`);
  for (const code of ['23505', '42P01', '22P02', '42601']) assert.is(reason(code), undefined, code);
});

test('A failed write is told apart from a page that cannot be read, in every language of the server', () => {
  const damageOf = (code: string, routine: string, message = 'E/A-Fehler') => {
    const reply = errorReply(Object.assign(new pg.DatabaseError(message, 0, 'error'), { code, routine }));
    return reply.kind === 'unavailable' ? reply.damage : reply;
  };
  assert.is(damageOf('58030', 'mdextend'), 'unwritten');
  assert.is(damageOf('58030', 'mdreadv'), 'passing');
  assert.is(damageOf('58030', 'SlruReportIOError', 'could not read from file "pg_xact/0000"'), 'passing');
  assert.is(damageOf('XX001', 'buffer_readv_report'), 'passing');
  assert.is(damageOf('53100', 'mdextend'), undefined);
});

test.run();

async function rejects(promise: Promise<unknown>, words: RegExp): Promise<void> {
  const outcome = await promise.then(
    () => 'an answer',
    (error: Error) => error.message,
  );
  assert.match(outcome, words);
}
