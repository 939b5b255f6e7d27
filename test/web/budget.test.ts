import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';

/** The build's record of a file. */
interface Built {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const BUDGET_BYTES = 49_152;

const MANIFESTS = readdirSync(packagePath('dist', 'web', '.vite'));

for (const name of MANIFESTS)
  test(`Scripts and styles that come before the first paint have at most 48 KB, compressed: ${name}`, () => {
    const built = JSON.parse(readFileSync(packagePath('dist', 'web', '.vite', name), 'utf8'));
    const sizes = [...filesOf(built, 'index.html')].map((file) => [file, compressedSize(file)] as const);
    assert.ok(sizes.length >= 2, 'a script and a style');
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    assert.ok(total <= BUDGET_BYTES, `${total} bytes: ${sizes.map((size) => size.join(' ')).join(', ')}`);
  });

test('No script of the app names a file of its source, as elements of a build for development do', () => {
  const folder = packagePath('dist', 'web');
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  assert.ok(scripts.length > 20, String(scripts.length));
  const naming = scripts.filter((file) => readFileSync(join(folder, file), 'utf8').includes(packagePath('src')));
  assert.equal(naming, []);
});

test.run();

/** The entry's files, and those of all that it imports at once. */
function filesOf(built: Readonly<Record<string, Built>>, name: string): Set<string> {
  const { file, imports = [], css = [] } = built[name] as Built;
  return new Set([file, ...css, ...imports.flatMap((other) => [...filesOf(built, other)])]);
}

function compressedSize(file: string): number {
  return gzipSync(readFileSync(packagePath('dist', 'web', file)), { level: 9 }).length;
}
