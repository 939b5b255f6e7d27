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
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyPath } from '../../src/config/sources.ts';
import { copyCredentials } from '../../src/host/credential-copy.ts';
import { temporaryFolder } from '../support/folder.ts';

test('The service gets the configuration and the files that it names, and nothing that lies beside them', () => {
  const { etc, folder, run, copyOf } = aService('[tls]\ncert = "tls.crt"\nkey = "tls.key"');
  put(join(etc, 'tls.crt'), 'certificate');
  put(join(etc, 'tls.key'), 'key');
  put(join(etc, 'dump.bin'), 'x'.repeat(3_000_000));
  assert.equal(run(), ['pushctl.toml', 'tls.cert', 'tls.key']);
  const copies = [copyOf('tls.cert', 'tls.crt'), copyOf('tls.key', 'tls.key')];
  assert.equal(readdirSync(folder), ['pushctl.toml', ...copies.map((copy) => basename(copy))]);
  assert.is(readFileSync(copies[1] ?? '', 'utf8'), 'key');
  assert.is(statSync(copies[1] ?? '').mode & 0o037, 0);
});

test('Nothing is copied again that is as it was', () => {
  const { etc, folder, run, copyOf } = aService('[tls]\ncert = "tls.crt"\nkey = "tls.key"');
  put(join(etc, 'tls.crt'), 'certificate');
  put(join(etc, 'tls.key'), 'key');
  run();
  const certificate = copyOf('tls.cert', 'tls.crt');
  const { ino } = statSync(certificate);
  put(join(etc, 'tls.key'), 'another key');
  assert.equal(run(), ['tls.key']);
  assert.is(statSync(certificate).ino, ino);
  rmSync(join(etc, 'tls.key'));
  assert.equal(run(), ['tls.key'], 'what is gone has no copy');
  assert.equal(readdirSync(folder), ['pushctl.toml', basename(certificate)]);
});

test('Links are followed, also from link to link as certbot lays them', () => {
  const { etc, run, copyOf } = aService('[tls]\ncert = "live/fullchain.pem"\nkey = "live/privkey.pem"');
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
  assert.is(readFileSync(copyOf('tls.key', 'live/privkey.pem'), 'utf8'), 'privkey 2');
});

test('A file that another user could change is not copied, since a link there would give away any file', () => {
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

test('A setting that names another file, or cannot be read any more, leaves a service that runs the copy of its own', () => {
  const { etc, folder, run, copyOf } = aService('[apns]\nkey_file = "a.p8"');
  for (const name of ['a.p8', 'b.p8']) put(join(etc, name), `the key in ${name}`);
  run();
  put(join(etc, 'pushctl.toml'), '[apns]\nkey_file = "b.p8"');
  assert.equal(run(), ['pushctl.toml', 'apns.key_file']);
  put(join(etc, 'pushctl.toml'), '[apns]\nkey_file = "b.p8');
  assert.equal(run(), ['pushctl.toml']);
  for (const name of ['a.p8', 'b.p8'])
    assert.is(readFileSync(copyOf('apns.key_file', name), 'utf8'), `the key in ${name}`);
  assert.is(readdirSync(folder).length, 3);
});

test.run();

/** A folder with that configuration, an empty one for the copies, and the copying between them. */
function aService(toml: string) {
  const etc = temporaryFolder();
  const folder = temporaryFolder();
  const file = join(etc, 'pushctl.toml');
  put(file, toml);
  const copyOf = (setting: string, name: string): string => copyPath(folder, setting, join(etc, name));
  return { etc, folder, run: () => copyCredentials({ file, folder }), copyOf };
}

function put(file: string, contents: string): void {
  writeFileSync(file, contents, { mode: 0o600 });
}
