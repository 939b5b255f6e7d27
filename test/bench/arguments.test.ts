import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/folder.ts';
import { readArguments } from './arguments.ts';

const PARTS = ['ingest', 'disk', 'peers'];

test('Parts are named in any number, and binaries only beside the part that starts them', () => {
  const binary = file(0o755);
  assert.equal(readArguments([], PARTS), { wanted: [], binaries: {} });
  assert.equal(readArguments(['disk', 'ingest'], PARTS), { wanted: ['disk', 'ingest'], binaries: {} });
  const both = ['--ntfy', binary, 'peers', `--gotify=${relative(process.cwd(), binary)}`];
  assert.equal(readArguments(both, PARTS), { wanted: ['peers'], binaries: { ntfy: binary, gotify: binary } });
  assert.equal(readArguments(['ingest', '--ntfy', binary], PARTS), { problem: '--ntfy goes with the part peers.' });
});

test('Arguments that make no sense are refused, with what is wrong', () => {
  const [text, folder] = [file(0o644), temporaryFolder()];
  for (const [args, problem] of [
    [['storms', 'disk'], 'There is no part storms; there are ingest, disk, peers.'],
    [['peers', '--ntfy', `${text}-gone`], `--ntfy ${text}-gone: there is no such file.`],
    [['peers', '--ntfy', text], `--ntfy ${text}: this user may not execute it.`],
    [['peers', '--gotify', folder], `--gotify ${folder}: this is no file.`],
  ] as const) {
    assert.equal(readArguments(args, PARTS), { problem });
  }
  assert.ok('problem' in readArguments(['--parse', 'x'], PARTS));
  assert.ok('problem' in readArguments(['peers', '--ntfy'], PARTS));
});

function file(mode: number): string {
  const path = join(temporaryFolder(), 'binary');
  writeFileSync(path, '', { mode });
  return path;
}

test.run();
