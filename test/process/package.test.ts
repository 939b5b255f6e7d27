import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath, packageVersion } from '../../src/process/package.ts';

test('The version is that of the package, and of a checkout also which commit was built', () => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };
  const [first, build] = packageVersion().split('+');
  assert.is(first, version);
  if (build !== undefined) assert.match(build, /^(?:\d+\.)?g[0-9a-f]{7,}(?:\.dirty)?$/);
});

test('The package has the newest version that the changelog has', () => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };
  const [, newest = '0.1.0'] = /^## \[?(\d+\.\d+\.\d+)/m.exec(readFileSync(packagePath('CHANGELOG.md'), 'utf8')) ?? [];
  assert.is(version, newest);
});

test.run();
