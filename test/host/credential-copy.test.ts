import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyCredentials } from '../../src/host/credential-copy.ts';
import { temporaryFolder } from '../support/folder.ts';

test('The service gets the configuration and what it names by the names of the settings, and nothing that lies beside them', () => {
  const { etc, folder, run } = aService('[tls]\ncert = "tls.crt"\nkey = "tls.key"');
  put(join(etc, 'tls.crt'), 'certificate');
  put(join(etc, 'tls.key'), 'key');
  put(join(etc, 'dump.bin'), 'x'.repeat(3_000_000));
  assert.equal(run(), ['pushctl.toml', 'tls.cert', 'tls.key']);
  assert.equal(readdirSync(folder), ['pushctl.toml', 'tls.cert', 'tls.key']);
  assert.is(readFileSync(join(folder, 'tls.key'), 'utf8'), 'key');
  assert.is(statSync(join(folder, 'tls.key')).mode & 0o037, 0);
});

test('Nothing is copied again that is as it was', () => {
  const { etc, folder, run } = aService('[tls]\ncert = "tls.crt"\nkey = "tls.key"');
  put(join(etc, 'tls.crt'), 'certificate');
  put(join(etc, 'tls.key'), 'key');
  run();
  const { ino } = statSync(join(folder, 'tls.cert'));
  put(join(etc, 'tls.key'), 'another key');
  assert.equal(run(), ['tls.key']);
  assert.is(statSync(join(folder, 'tls.cert')).ino, ino);
  rmSync(join(etc, 'tls.key'));
  assert.equal(run(), ['tls.key'], 'what is gone has no copy');
  assert.equal(readdirSync(folder), ['pushctl.toml', 'tls.cert']);
});

test('Links are followed, also from link to link as certbot lays them', () => {
  const { etc, folder, run } = aService('[tls]\ncert = "live/fullchain.pem"\nkey = "live/privkey.pem"');
  for (const name of ['live', 'archive']) mkdirSync(join(etc, name));
  for (const name of ['fullchain', 'privkey']) {
    put(join(etc, 'archive', `${name}1.pem`), `${name} 1`);
    symlinkSync(`../archive/${name}1.pem`, join(etc, 'live', `${name}.pem`));
  }
  run();
  put(join(etc, 'archive', 'privkey2.pem'), 'privkey 2');
  rmSync(join(etc, 'live', 'privkey.pem'));
  symlinkSync('../archive/privkey2.pem', join(etc, 'live', 'privkey.pem'));
  assert.equal(run(), ['tls.key']);
  assert.is(readFileSync(join(folder, 'tls.key'), 'utf8'), 'privkey 2');
});

test('What another user could change is not copied: a link there would give away any file', () => {
  const { etc, folder, run } = aService('[tls]\ncert = "open/tls.crt"\nkey = "link.key"');
  mkdirSync(join(etc, 'open'));
  chmodSync(join(etc, 'open'), 0o777);
  put(join(etc, 'open/tls.crt'), 'certificate');
  put(join(etc, 'open/secret.key'), 'key');
  symlinkSync('open/secret.key', join(etc, 'link.key'));
  assert.equal(run(), ['pushctl.toml']);
  chmodSync(join(etc, 'open'), 0o755);
  assert.equal(run(), ['tls.cert', 'tls.key']);
  if (process.geteuid?.() !== 0) return;
  chownSync(join(etc, 'open'), 65_534, 65_534);
  assert.equal(run(), ['tls.cert', 'tls.key']);
  assert.equal(readdirSync(folder), ['pushctl.toml']);
});

test('A folder, an endless file or one that is far too large in the place of a key is no key', () => {
  const { etc, folder, run } = aService('[tls]\ncert = "/dev/zero"\nkey = "large"\n[fcm]\nservice_account_file = "."');
  put(join(etc, 'large'), 'x'.repeat(1024 * 1024 + 1));
  assert.equal(run(), ['pushctl.toml']);
  assert.equal(readdirSync(folder), ['pushctl.toml']);
});

test('A configuration with mistakes is copied as it is, for the service to name them', () => {
  const { folder, run } = aService('listen = ');
  assert.equal(run(), ['pushctl.toml']);
  assert.is(readFileSync(join(folder, 'pushctl.toml'), 'utf8'), 'listen = ');
});

test.run();

/** A folder with that configuration, an empty one for the copies, and the copying between them. */
function aService(toml: string) {
  const etc = temporaryFolder();
  const folder = temporaryFolder();
  const file = join(etc, 'pushctl.toml');
  put(file, toml);
  return { etc, folder, run: () => copyCredentials({ file, folder }) };
}

function put(file: string, contents: string): void {
  writeFileSync(file, contents, { mode: 0o600 });
}
