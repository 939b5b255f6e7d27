import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseOf } from '../../src/config/database.ts';
import { loadConfig } from '../../src/config/load.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import { mistakesOf } from '../support/config.ts';
import { temporaryFolder } from '../support/folder.ts';

const database = suite('the database that several machines share');

/** `set`: `url`, `password_file`. */
function configOf(set: Readonly<Record<string, string>>) {
  return loadConfig({ env: environment(set), file: null });
}

function environment(set: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(set).map(([name, value]) => [`PUSHCTL_STORE_${name.toUpperCase()}`, value]));
}

function fileWith(text: string): string {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, text);
  return file;
}

database('Without the table there is none', () => {
  const config = configOf({});
  assert.is(config.store, null);
  assert.is(databaseOf(config), null);
});

database(
  'Notices come by the same address, and the machine is called as its system calls it, unless set otherwise',
  () => {
    const url = 'postgres://pushctl@127.0.0.1:5433/push';
    assert.equal(databaseOf(configOf({ url })), { url, listenUrl: url, node: hostname() });
    const listenUrl = 'postgresql://pushctl@localhost/push?host=/run/postgresql';
    assert.equal(databaseOf(configOf({ url, listen_url: listenUrl, node: 'push-1' })), {
      url,
      listenUrl,
      node: 'push-1',
    });
  },
);

database('The password comes from its file, with any characters', () => {
  const password_file = fileWith('p@ss/w#rd&%41 ü\n');
  const found = databaseOf(configOf({ url: 'postgres://pushctl@localhost/push', password_file }));
  const { searchParams } = new URL(found?.url ?? '');
  assert.is(searchParams.get('password'), 'p@ss/w#rd&%41 ü');
  assert.is(searchParams.get('password_file'), password_file);
  assert.is(found?.listenUrl, found?.url);
});

database('A CA of its own goes with an encrypted way alone', () => {
  const ca_file = fileWith('-----BEGIN CERTIFICATE-----');
  const url = 'postgres://pushctl@db.example.com/push?sslmode=verify-ca';
  const found = databaseOf(configOf({ url, listen_url: 'postgres://pushctl@localhost/push', ca_file }));
  assert.is(new URL(found?.url ?? '').searchParams.get('sslrootcert'), ca_file);
  assert.is(found?.listenUrl, 'postgres://pushctl@localhost/push');
});

database('A service that may not read the files reads the copies that root has made of them', () => {
  const [password, ca] = [fileWith('s3cret'), fileWith('-----BEGIN CERTIFICATE-----')];
  const url = 'postgres://pushctl@db.example.com/push?sslmode=verify-full';
  const config = configOf({ url, password_file: '/etc/pushctl/password', ca_file: '/etc/pushctl/ca.pem' });
  const handedOver = { '/etc/pushctl/password': password, '/etc/pushctl/ca.pem': ca };
  const { searchParams } = new URL(databaseOf({ ...config, handedOver })?.url ?? '');
  assert.equal([searchParams.get('password'), searchParams.get('sslrootcert')], ['s3cret', ca]);
});

database('A file that is named is there, and holds a password', () => {
  const problemOf = (set: Record<string, string>) => {
    try {
      databaseOf(configOf({ url: 'postgres://pushctl@localhost/push', ...set }));
    } catch (error) {
      assert.instance(error, OperatorProblem);
      return (error as OperatorProblem).message;
    }
    throw new Error('it was accepted');
  };
  assert.match(problemOf({ password_file: '/not/there' }), '/not/there, named by store.password_file, does not exist.');
  assert.match(problemOf({ ca_file: '/not/there' }), '/not/there, named by store.ca_file, does not exist.');
  assert.match(problemOf({ ca_file: fileWith('none') }), 'has no certificate in it. Set it to a PEM file.');
  assert.match(problemOf({ password_file: fileWith('\n') }), 'is empty. Write the password into the file.');
});

const WRONG: readonly (readonly [url: string, expected: string])[] = [
  ['mysql://127.0.0.1/push', 'an address such as postgres://pushctl@db.example.com/pushctl?sslmode=verify-full'],
  ['127.0.0.1:5432', 'an address such as'],
  ['postgres://u@127.0.0.1', 'the name of a database after the host'],
  ['postgres://u@127.0.0.1/a/b', 'the name of a database after the host'],
  ['postgres://localhost/push', 'a user of the database before the host'],
  ['postgres:///push', 'a host; for a Unix socket, localhost'],
  ['postgres://u@a,b/push?sslmode=verify-full', 'one host'],
  ['postgres://u@localhost/push?host=/a,/b', 'one host'],
  ['postgres://u@db.example.com/push', 'sslmode=verify-full in it'],
  ['postgres://u@localhost/push?host=db.example.com', 'sslmode=verify-full in it'],
  ['postgres://u@db.example.com/push?sslmode=prefer', 'sslmode to be one of disable, require, verify-ca, verify-full'],
  ['postgres://u@db.example.com/push?sslmode=verify-ca', 'the CA in store.ca_file with sslmode=verify-ca'],
  ['postgres://u@localhost/push?sslrootcert=/ca.pem', 'the CA in store.ca_file instead of sslrootcert'],
  ['postgres://u@localhost/push?target_session_attrs=any', 'no target_session_attrs but host, sslmode, options'],
];

database('An address that leads nowhere, or not safely, is refused with what is expected', () => {
  for (const [url, expected] of WRONG) {
    assert.match(mistakesOf({ env: environment({ url }), file: null }), expected);
    const listening = { url: 'postgres://pushctl@localhost/push', listen_url: url };
    assert.match(mistakesOf({ env: environment(listening), file: null }), 'store.listen_url');
  }
});

database('No mistake shows a password, also not one that makes the address a wrong one', () => {
  const wrong = [
    'postgres://ada:s3cret@db.example.com/push',
    'postgres://ada:s3cret#x@localhost/push',
    'postgres://ada:s3cret/x@localhost/push',
    'postgres://ada:s3cret/push',
    'postgres://localhost/push?password=s3cret&x=1',
    'host=localhost password=s3cret dbname=push',
    'mysql://ada:s3cret@localhost/push',
  ];
  for (const url of wrong) assert.not.match(mistakesOf({ env: environment({ url }), file: null }), 's3cret');
  const password_file = fileWith('s3cret');
  const twice = environment({ url: 'postgres://ada:s3cret@localhost/push', password_file });
  assert.match(
    mistakesOf({ env: twice, file: null }),
    'expected no password in it, because store.password_file has one',
  );
});

database(
  'Settings of the database make no sense without its address, or beside a bound for the one in the data folder',
  () => {
    assert.match(mistakesOf({ env: environment({ node: 'push-1' }), file: null }), 'store.url is missing');
    const env = { ...environment({ url: 'postgres://pushctl@localhost/push' }), PUSHCTL_RETENTION_MAX_SIZE: '10GiB' };
    assert.match(mistakesOf({ env, file: null }), 'retention.max_size is "10GiB": expected none with [store] url');
  },
);

database('A name that would not fit into a line of text is refused', () => {
  const env = environment({ url: 'postgres://pushctl@localhost/push', node: 'push 1' });
  assert.match(mistakesOf({ env, file: null }), 'store.node (from PUSHCTL_STORE_NODE) is "push 1": expected a name');
});

database.run();
