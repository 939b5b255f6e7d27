import { chmodSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { valuesOf } from '../support/values-of.ts';

interface Report {
  readonly findings: readonly { readonly check: string; readonly status: string }[];
}

test('The doctor exits with 0 if it finds nothing wrong, else with 1', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"');
  const stopped = await cli.run(['doctor', '--json']);
  assert.is(stopped.exitCode, 1, 'nothing is sent while nothing runs');
  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  const { exitCode: well, stdout: found } = await cli.run(['doctor', '--json']);
  assert.is(well, 0, found);
  const { findings } = JSON.parse(found) as Report;
  assert.ok(findings.some(({ check }) => check === 'database'));
  assert.is(await server.stop(), 0);
  chmodSync(cli.dataDir, 0o755);
  const { exitCode, stdout, stderr } = await cli.run(['doctor']);
  assert.is(exitCode, 1);
  assert.is(stderr, '');
  assert.match(stdout, /^FAIL {2}data folder: .* is open to other users\n {6}→ chmod 700 /m);
});

test('A mistake in the configuration is a finding', async () => {
  const { exitCode, stdout } = await new Cli('lisen = 1\n').run(['doctor', '--json']);
  assert.is(exitCode, 1);
  const { findings } = JSON.parse(stdout) as Report;
  assert.equal(valuesOf(findings, 'check', 'status'), ['configuration fail']);
});

test('A proxy that forwards without being trusted is a line of the doctor.', async () => {
  await using opened = new Resources();
  const cli = new Cli('listen = "127.0.0.1:0"\nbase_url = "https://push.example.com/api"');
  await cli.json(['workspace', 'create', 'acme']);
  const [, url = ''] = await cli.start(opened, ['serve']).waitFor(/"url":"([^"]+)".*listening/);
  assert.not.match((await cli.run(['doctor'])).stdout, 'proxy.trusted');
  const headers = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' };
  await fetch(`${url}/api/v1/usage`, { headers });
  await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body: '{}' });
  const { stdout } = await cli.run(['doctor']);
  assert.match(stdout, /^warn {2}proxy: 2 requests since .* forwarded headers of 127\.0\.0\.1, which proxy\.trusted/m);
});

test.run();
