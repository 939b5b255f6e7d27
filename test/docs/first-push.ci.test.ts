import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { skipWhere } from '../support/skip.ts';
import { ALONE, isAlonePossible } from './alone.ts';

const test = suite('the first push without a phone');

const ownNetwork = skipWhere(isAlonePossible() ? null : 'no network of its own can be made here', test);

/** The lines of a section for a shell. */
function linesOf(heading: string): string {
  const page = readFileSync(packagePath('docs', 'first-push.md'), 'utf8');
  const [, rest = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines).join('');
}

ownNetwork('The lines of the page run as printed, in a bare folder and a second time', () => {
  const home = temporaryFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(packagePath('bin', 'pushctl'), join(bin, 'pushctl'));
  const lines = linesOf('Without a phone');
  const run = (script: string) => {
    const [command = '', ...args] = [
      ...ALONE,
      'bash',
      '-euc',
      `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`,
    ];
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home };
    return spawnSync(command, args, { cwd: home, env, encoding: 'utf8', timeout: 120_000 });
  };
  const first = run(`${lines}wait`);
  assert.is(first.status, 0, first.stderr);
  assert.match(first.stdout, /^The devices iPhone and Pixel get what is posted to alerts\.$/m);
  assert.match(first.stdout, /APNs took evt_/);
  assert.match(first.stdout, /FCM took evt_/);
  assert.match(first.stdout, /^In force: 500:fcm$/m);
  const folder = join(home, 'pushctl-trial');
  const written = readFileSync(join(folder, 'pushctl.toml'), 'utf8');

  const second = run(`${lines.replace(/^mkdir \S+ && /m, '')}wait`);
  assert.is(second.status, 0, second.stderr);
  assert.match(second.stdout, /pushctl\.toml has these settings already\.$/m);
  assert.is(readFileSync(join(folder, 'pushctl.toml'), 'utf8'), written);
  assert.match(second.stdout, /FCM took evt_/);
});

test.run();
