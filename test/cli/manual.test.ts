import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessCli as Cli } from '../support/cli.ts';
import { skipWhere } from '../support/skip.ts';

test('The man page has every command, with its options and examples', async () => {
  const { exitCode, stdout } = await new Cli().run(['__manual']);
  assert.is(exitCode, 0);
  for (const words of ['serve', 'key issue', 'device import', 'completion', 'doctor']) {
    assert.match(stdout, `.SS pushctl ${words}\n`);
  }
  assert.match(stdout, '\\fB\\-\\-scope <scope>\\fR');
  assert.match(stdout, 'pushctl key issue acme \\-\\-name ci\n');
  assert.not.match(stdout, '__complete');
});

const withMan = skipWhere(spawnSync('man', ['--version']).error ? 'needs man' : null, test);

withMan('man finds nothing wrong with the man page', async () => {
  const { stdout } = await new Cli().run(['__manual']);
  const env = { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '80' };
  const page = spawnSync('man', ['--warnings', '--local-file', '-'], { input: stdout, encoding: 'utf8', env });
  assert.is(page.stderr, '');
  assert.match(page.stdout, 'pushctl - turns a posted event into native push alerts');
});

test.run();
