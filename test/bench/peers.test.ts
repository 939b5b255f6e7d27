import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { PEERS, type PeerName } from './peers.ts';
import { Poster } from './processes/poster.ts';

const STAND_IN = join(import.meta.dirname, '..', 'support', 'stand-in-peer.js');
/** More than a visitor of ntfy may send without an exemption. */
const MESSAGES = 100;
const FULL = 2;
const DATABASES = { ntfy: 'cache.db', gotify: 'gotify.db' } as const;

for (const name of Object.keys(PEERS) as PeerName[]) {
  test(`${name} is started in a folder, and stores what is posted to it, each message synced`, async () => {
    const { binary, folder } = standIn();
    const peer = await PEERS[name].start(binary, folder);
    try {
      assert.is(peer.version, '7.8.9');
      const poster = await Poster.connect({ ...peer.target, channel: 'quiet' });
      for (let count = 0; count < MESSAGES; count += 1) await poster.post(String(count));
      poster.close();
      peer.check();
      const database = new Database(join(folder, DATABASES[name]), { readonly: true });
      const stored = database.prepare('select count(distinct message) n, title, synchronous from message').get();
      database.close();
      assert.equal(stored, { n: MESSAGES, title: 'Disk nearly full on db-1', synchronous: FULL });
    } finally {
      await peer.process.kill();
    }
  });

  test(`${name} without the write-ahead log that it was asked for is found out`, async () => {
    const { binary, folder } = standIn('STAND_IN_WITHOUT_WAL=yes');
    const peer = await PEERS[name].start(binary, folder);
    try {
      assert.throws(() => peer.check(), /has no write-ahead log/);
    } finally {
      await peer.process.kill();
    }
  });

  test(`A binary in place of ${name} that ends at once is named, with what it printed`, async () => {
    const { binary, folder } = executable('echo no such database >&2; exit 3');
    await rejects(PEERS[name].start(binary, folder), `${binary} ended before it answered (3): no such database`);
  });

  test(`A binary in place of ${name} that the system cannot execute is named`, async () => {
    const { binary, folder } = executable('', '#!/no/such/interpreter');
    await rejects(PEERS[name].start(binary, folder), `${binary} cannot be executed: spawn ${binary} ENOENT`);
  });
}

test('What a binary uses is read from the kernel, and it is gone once it was killed', async () => {
  const { binary, folder } = standIn();
  const { process: peer } = await PEERS.gotify.start(binary, folder);
  const { cpuMs, residentBytes } = await peer.usage();
  await peer.kill();
  // Node's own start takes more than the 10 ms that are counted in, and more than 20 MB.
  assert.ok(cpuMs >= 10 && cpuMs < 60_000, `${cpuMs} ms`);
  assert.ok(residentBytes > 20e6 && residentBytes < 500e6, `${residentBytes} bytes`);
  await rejects(peer.usage(), /ENOENT/);
});

/** Both servers, as far as the benchmark needs them. */
function standIn(setting = '') {
  return executable(`exec env ${setting} '${process.execPath}' '${STAND_IN}' "$@"`);
}

function executable(script: string, interpreter = '#!/bin/sh') {
  const folder = temporaryFolder();
  const binary = join(folder, 'binary');
  writeFileSync(binary, `${interpreter}\n${script}\n`, { mode: 0o755 });
  return { binary, folder };
}

async function rejects(promise: Promise<unknown>, message: string | RegExp): Promise<void> {
  const error = await promise.then(
    () => null,
    (error: Error) => error,
  );
  assert.ok(error, 'it did not reject');
  if (typeof message === 'string') assert.is(error.message, message);
  else assert.match(error.message, message);
}

test.run();
