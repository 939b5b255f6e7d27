import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { aMachine, isProblem } from '../support/install.ts';

test('A package in a folder that the service may not read is refused', () => {
  const { root, installFrom } = aMachine();
  mkdirSync(join(root, 'srv/pushctl'), { recursive: true });
  chmodSync(join(root, 'srv'), 0o700);
  assert.throws(
    () => installFrom('/home/ann/pushctl'),
    (error: unknown) => isProblem(error, /cannot read \/home/),
  );
  assert.throws(
    () => installFrom('/srv/pushctl'),
    (error: unknown) => isProblem(error, /\/srv is closed to other users/),
  );
  assert.throws(
    () => installFrom('/srv/none'),
    (error: unknown) => isProblem(error, /\/srv\/none does not exist/),
  );
});

test('A package is refused if another user could change any of its files or a folder above it', () => {
  const { root, installFrom } = aMachine();
  const refused = (path: string) =>
    assert.throws(
      () => installFrom('/srv/some/pushctl'),
      (error: unknown) =>
        isProblem(error, /can be changed by users other than root/) && isProblem(error, new RegExp(path)),
    );
  const main = join(root, 'srv/some/pushctl/dist/main.js');
  mkdirSync(dirname(main), { recursive: true });
  writeFileSync(main, '');
  chmodSync(main, 0o666);
  refused('dist/main.js');
  chmodSync(main, 0o644);
  symlinkSync('main.js', join(dirname(main), 'inside'));
  symlinkSync('../../elsewhere', join(dirname(main), 'outside'));
  refused('dist/outside');
  rmSync(join(dirname(main), 'outside'));
  chmodSync(dirname(main), 0o777);
  refused('pushctl/dist');
  chmodSync(dirname(main), 0o755);
  chmodSync(join(root, 'srv/some'), 0o777);
  refused('/srv/some');
  chmodSync(join(root, 'srv/some'), 0o755);
  assert.ok(installFrom('/srv/some/pushctl').length > 0);
  if (process.geteuid?.() !== 0) return;
  chownSync(main, 65_534, 65_534);
  refused('dist/main.js');
  chownSync(main, 0, 0);
  chownSync(join(root, 'srv'), 65_534, 0);
  refused('/srv');
});

test('A folder above the package that a group may write counts, unless it is sticky or the group is root’s', () => {
  if (process.geteuid?.() !== 0) return;
  const { root, installFrom } = aMachine();
  const above = join(root, 'srv');
  mkdirSync(join(above, 'some/pushctl'), { recursive: true });
  const installed = () => installFrom('/srv/some/pushctl').length > 0;
  chownSync(above, 0, 65_534);
  chmodSync(above, 0o775);
  assert.throws(installed, (error: unknown) => isProblem(error, /\/srv can be changed by users other than root/));
  chmodSync(above, 0o1775);
  assert.ok(installed());
  chmodSync(above, 0o775);
  chownSync(above, 0, 0);
  assert.ok(installed());
});

test.run();
