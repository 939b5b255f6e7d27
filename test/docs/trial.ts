import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ALONE } from './alone.ts';

/** The code of a page, or of one of its sections. */
export function codeOf(page: string, heading?: string): readonly string[] {
  const text = readFileSync(packagePath('docs', page), 'utf8');
  const [, rest = ''] = heading === undefined ? ['', text] : text.split(`\n## ${heading}\n`);
  const [section = ''] = heading === undefined ? [rest] : rest.split('\n## ');
  return [...section.matchAll(/^```(?:sh)?\n(.*?)^```$/gms)].map(([, lines = '']) => lines);
}

/** Runs lines behind the trial of docs/first-push.md, in a bare folder and a network of its own. Returns the output. */
export function runInTrial(...lines: readonly string[]): string {
  const home = temporaryFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(packagePath('bin', 'pushctl'), join(bin, 'pushctl'));
  const [start = '', post = ''] = codeOf('first-push.md', 'Without a phone');
  const script = ["trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", start, post, ...lines].join('\n');
  const [command = '', ...args] = [...ALONE, 'bash', '-euc', script];
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: home, env, encoding: 'utf8', timeout: 300_000 });
  assert.is(status, 0, `${stdout}\n${stderr}`);
  return stdout;
}
