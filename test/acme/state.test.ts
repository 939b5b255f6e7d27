import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TlsFolder } from '../../src/acme/state.ts';
import { temporaryFolder } from '../support/folder.ts';

test('A file is on the disk before it gets its name, and the name before anything else is done', () => {
  const dataDir = temporaryFolder();
  const { fsyncSync, renameSync } = fs;
  const done: string[] = [];
  fs.fsyncSync = (fd) => {
    fsyncSync(fd);
    done.push(`sync ${fs.readlinkSync(`/proc/self/fd/${fd}`)}`);
  };
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    done.push(`rename ${to}`);
  };
  syncBuiltinESMExports();
  try {
    new TlsFolder(dataDir).putAccountKey('a key');
  } finally {
    Object.assign(fs, { fsyncSync, renameSync });
    syncBuiltinESMExports();
  }
  const file = join(fs.realpathSync(dataDir), 'tls', 'account.pem');
  assert.equal(done.slice(-3), [
    `sync ${file}.part`,
    `rename ${join(dataDir, 'tls', 'account.pem')}`,
    `sync ${join(file, '..')}`,
  ]);
  assert.is(fs.statSync(file).mode & 0o777, 0o600);
  assert.is(fs.readFileSync(file, 'utf8'), 'a key');
});

test.run();
