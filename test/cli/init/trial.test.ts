import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { offerTrial, tryOut } from '../../../src/cli/init/trial.ts';
import { OperatorProblem } from '../../../src/process/problem.ts';
import { FakeCa } from '../../support/acme-ca.ts';
import { freePort } from '../../support/free-port.ts';
import { Resources } from '../../support/resources.ts';

test('A trial orders a certificate on the port of the server, or says in the words of the authority why not', async () => {
  await using opened = new Resources();
  const ca = opened.add(await FakeCa.start());
  const port = await freePort();
  ca.port = port;
  const settings = { domains: ['push.example.com'], contact: null, directory: ca.directory, caFile: null };
  const listen = { host: '127.0.0.1', port };
  assert.is(await tryOut(settings, listen, ca.authority.certPem), null);
  ca.finding = { status: 400, type: 'connection', detail: '192.0.2.1: Fetching push.example.com: Timeout' };
  const problem = await tryOut(settings, listen, ca.authority.certPem);
  assert.is(problem?.sentence, ca.finding.detail);
  assert.equal(ca.wrongs, []);
});

test('An operator who learns that there would be no certificate may decline to write anything', async () => {
  const shown: string[] = [];
  const answers = ['yes', 'no'];
  const person = { ask: async () => answers.shift() ?? '', show: (text: string) => void shown.push(text) };
  const values = new Map<string, unknown>([
    ['listen', '0.0.0.0:0'],
    ['tls.acme.domains', ['push.example.com']],
    ['tls.acme.directory', 'https://ca.example.com'],
  ]);
  const staging = { 'https://ca.example.com': `https://127.0.0.1:${await freePort()}` };
  const error = await offerTrial(values, person, staging).catch((reason: unknown) => reason);
  assert.instance(error, OperatorProblem);
  assert.match(shown.join('\n'), /the test failed: .*ECONNREFUSED.*\. check that this machine can reach 127\.0\.0\.1/);
});

test('If no certificate is asked for, or there is no staging directory, nobody is asked', async () => {
  const person = { ask: () => assert.unreachable(), show: () => undefined };
  await offerTrial(new Map([['listen', ':443']]), person as never);
  const values = new Map<string, unknown>([
    ['listen', ':443'],
    ['tls.acme.domains', ['push.example.com']],
    ['tls.acme.directory', 'https://ca.example.com'],
  ]);
  await offerTrial(values, person as never);
  values.delete('tls.acme.directory');
  await offerTrial(values.set('listen', '127.0.0.1:8080'), person as never);
});

test.run();
