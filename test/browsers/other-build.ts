import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';

const COMPRESSED = ['.br', '.gz'];
const TEXTS = ['.html', '.js', '.css'];

/**
 * The web app as another build of it: the same pages, but each asset has another name, and the worker knows the new
 * names. Answers its folder.
 */
export function anotherBuild(): string {
  const folder = temporaryFolder();
  cpSync(packagePath('dist', 'web'), folder, {
    recursive: true,
    filter: (path) => !COMPRESSED.includes(extname(path)),
  });
  const assets = readdirSync(join(folder, 'assets'));
  for (const name of assets) renameSync(join(folder, 'assets', name), join(folder, 'assets', renamed(name)));
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (TEXTS.includes(extname(file))) rewrite(join(folder, file), assets);
  }
  return folder;
}

function rewrite(file: string, assets: readonly string[]): void {
  const text = assets.reduce((before, name) => before.replaceAll(name, renamed(name)), readFileSync(file, 'utf8'));
  // The worker keeps its files under this name.
  writeFileSync(file, file.endsWith('sw.js') ? text.replace(/\b[0-9a-f]{16}\b/, 'another-build') : text);
}

function renamed(name: string): string {
  return name.replace(/(?=\.\w+$)/, '-2');
}
