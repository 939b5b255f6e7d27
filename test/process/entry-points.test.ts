import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENTRY_POINTS, entryUrl } from '../../src/process/entry-points.ts';
import { packagePath } from '../../src/process/package.ts';

test('The entry point of a process or a thread is bundled, and its lines lead to those of the sources', () => {
  for (const name of ENTRY_POINTS) {
    const file = fileURLToPath(entryUrl(name));
    const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: readonly string[] };
    assert.ok(
      sources.some((source) => source.endsWith(`/src/${name}.ts`)),
      name,
    );
    for (const source of sources) assert.ok(existsSync(join(dirname(file), source)), `${name}: ${source}`);
  }
});

test('No bundled module imports node:http, because that would load undici', () => {
  assert.equal(bundledWith(/from "(?:node:)?http"/), []);
});

test('A bundled module is ASCII, because any other text takes twice the memory in each thread', () => {
  assert.equal(bundledWith(/[^\0-\x7f]/), []);
});

/** Returns the bundled modules that match. */
function bundledWith(pattern: RegExp): string[] {
  const folder = packagePath('dist', 'program');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  assert.ok(files.length > ENTRY_POINTS.length);
  return files.filter((name) => pattern.test(readFileSync(join(folder, name), 'utf8')));
}

/** Returns what a bundled file loads at its start: itself, and all that it imports, directly or not. */
function loadedWith(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const imported = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)"/gm);
  for (const [, part = ''] of imported) loadedWith(join(dirname(file), part), found);
  return found;
}

test('The command line starts without the validator of bodies, and without a command until one is named', () => {
  const maps = [...loadedWith(fileURLToPath(entryUrl('cli/main')))].map((file) => `${file}.map`).filter(existsSync);
  assert.ok(maps.length > 5);
  const sources = maps.flatMap((map) => JSON.parse(readFileSync(map, 'utf8')).sources as string[]);
  assert.ok(sources.some((source) => source.includes('/node_modules/commander/')));
  assert.not(sources.some((source) => source.includes('/node_modules/ajv/')));
  assert.not(sources.some((source) => source.includes('/src/cli/commands/')));
});

test('Each process and thread gives an address of a name 2.5 s, so a dead one beside it takes no connection', () => {
  for (const name of ENTRY_POINTS) {
    const file = fileURLToPath(entryUrl(name));
    const parts = [...readFileSync(file, 'utf8').matchAll(/(?:from|import) ?"(\.[^"]+)"/g)].map(
      ([, part = '']) => part,
    );
    const code = [file, ...parts.map((part) => join(dirname(file), part))].map((path) => readFileSync(path, 'utf8'));
    assert.match(code.join('\n'), /setDefaultAutoSelectFamilyAttemptTimeout\((?:2500|2_500|25e2|ATTEMPT_MS)\)/, name);
  }
});

test.run();
