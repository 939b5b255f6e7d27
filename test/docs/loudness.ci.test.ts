import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { skipWhere } from '../support/skip.ts';
import { ALONE, isAlonePossible } from './alone.ts';

const test = suite('the page about less noise');
const ownNetwork = skipWhere(isAlonePossible() ? null : 'no network of its own can be made here', test);

const WINDOW = /mnt_[0-9a-z]{16}/g;
const DATE = /2026-11-21T22:00:00Z/g;

/** The code of a page, section by section. */
function codeOf(page: string, heading?: string): readonly string[] {
  const text = readFileSync(packagePath('docs', page), 'utf8');
  const [, rest = ''] = heading === undefined ? ['', text] : text.split(`\n## ${heading}\n`);
  const [section = ''] = heading === undefined ? [rest] : rest.split('\n## ');
  return [...section.matchAll(/^```(?:sh)?\n(.*?)^```$/gms)].map(([, lines = '']) => lines);
}

ownNetwork('The lines of the page run as printed, in the trial of a bare folder', () => {
  const home = temporaryFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(packagePath('bin', 'pushctl'), join(bin, 'pushctl'));
  const [start = '', post = ''] = codeOf('first-push.md', 'Without a phone');
  const trial = codeOf('loudness.md', 'Try it').join('');
  // A program of the page's reader, and an address that only a real server has.
  const deploy = codeOf('loudness.md')
    .find((code) => code.includes('./deploy'))
    ?.replaceAll('https://push.example.com', 'http://127.0.0.1:8080');
  const commands = codeOf('loudness.md')
    .filter((code) => !trial.includes(code) && code.startsWith('pushctl'))
    .join('')
    .replaceAll(WINDOW, '$(cat window)')
    .replaceAll(DATE, new Date(Date.now() + 86_400_000).toISOString());
  assert.ok(commands.split('\n').length > 10);
  const script = [
    "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT",
    start,
    post,
    trial,
    'pushctl maintenance add acme ops --for 2h --json | jq -r .maintenance.id > window',
    commands,
    'printf "#!/bin/sh\\n" > deploy && chmod +x deploy',
    "KEY=$(pushctl key issue acme --name deploy --scope alerts:write --json | cut -d '\"' -f 4)",
    deploy,
    'echo "ended $id"',
  ].join('\n');
  const [command = '', ...args] = [...ALONE, 'bash', '-euc', script];
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: home, env, encoding: 'utf8', timeout: 300_000 });
  assert.is(status, 0, `${stdout}\n${stderr}`);
  assert.match(stdout, /Maintenance over: 1 alert open/);
  assert.match(stdout, /^ended mnt_[0-9a-z]{16}$/m);
});

test.run();
