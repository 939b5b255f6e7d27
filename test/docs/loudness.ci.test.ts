import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { skipWhere } from '../support/skip.ts';
import { isAlonePossible } from './alone.ts';
import { codeOf, runInTrial } from './trial.ts';

const test = suite('the page about less noise');
const ownNetwork = skipWhere(isAlonePossible() ? null : 'no network of its own can be made here', test);

const WINDOW = /mnt_[0-9a-z]{16}/g;
const DATE = /2026-11-21T22:00:00Z/g;

ownNetwork('The lines of the page run as printed, in the trial of a bare folder', () => {
  const trial = codeOf('loudness.md', 'Try it').join('');
  // A program of the page's reader, and an address that only a real server has.
  const deploy = codeOf('loudness.md')
    .find((code) => code.includes('./deploy'))
    ?.replaceAll('https://push.example.com', 'http://127.0.0.1:8080');
  assert.ok(deploy !== undefined);
  const commands = codeOf('loudness.md')
    .filter((code) => !trial.includes(code) && code.startsWith('pushctl'))
    .join('')
    .replaceAll(WINDOW, '$(cat window)')
    .replaceAll(DATE, new Date(Date.now() + 86_400_000).toISOString());
  assert.ok(commands.split('\n').length > 10);
  const output = runInTrial(
    trial,
    'pushctl maintenance add acme ops --for 2h --json | jq -r .maintenance.id > window',
    commands,
    'printf "#!/bin/sh\\n" > deploy && chmod +x deploy',
    "KEY=$(pushctl key issue acme --name deploy --scope alerts:write --json | cut -d '\"' -f 4)",
    deploy,
    'echo "ended $id"',
  );
  assert.match(output, /Maintenance over: 1 alert open/);
  assert.match(output, /^ended mnt_[0-9a-z]{16}$/m);
});

test.run();
