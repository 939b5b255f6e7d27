import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { skipWhere } from '../support/skip.ts';
import { isAlonePossible } from './alone.ts';
import { codeOf, runInTrial } from './trial.ts';

const test = suite('the page about on call');
const ownNetwork = skipWhere(isAlonePossible() ? null : 'no network of its own can be made here', test);

const OVERRIDE = /ovr_[0-9a-z]{16}/g;
const OVERRIDDEN =
  'pushctl rota override acme payments cyd@example.com --until 1h --json | jq -r .override.id > override';
/** The page's days. */
const DATES = /2027-02-(\d\d)T(\d\d:00:00Z)/g;

ownNetwork('The lines of the page run as printed, in the trial of a bare folder', () => {
  const trial = codeOf('on-call.md', 'Try it').join('');
  const begins = Date.now() + 10 * 86_400_000;
  // They are ten days ahead.
  const near = (_: string, day: string, time: string) =>
    `${new Date(begins + (Number(day) - 14) * 86_400_000).toISOString().slice(0, 10)}T${time}`;
  const commands = codeOf('on-call.md')
    .filter((code) => !trial.includes(code) && code.startsWith('pushctl'))
    .join('')
    .replaceAll(OVERRIDE, '$(cat override)')
    .replaceAll(DATES, near);
  assert.ok(commands.split('\n').length > 8);
  const output = runInTrial(
    trial,
    'pushctl channel create acme payments',
    commands.replace(/^pushctl rota override .* --end/m, `${OVERRIDDEN}\n$&`),
    'pushctl on-call acme',
  );
  assert.match(output, /Payments fail: ada is on call\./);
  assert.match(output, /Disk full: bob is on call\./);
});

test.run();
