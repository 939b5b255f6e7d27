import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../src/http/log.ts';
import { OperatorProblem } from '../src/problem.ts';
import { readCredentials } from '../src/providers/credentials.ts';

const COPIES = '/run/credentials/pushctl.service';

test('An operator reads of the files in /etc/pushctl, not of the copies that systemd makes of them', () => {
  const { what, message, advice } = new OperatorProblem(
    `${COPIES}/pushctl_tls.crt and ${COPIES}/pushctl_tls.key differ.`,
  );
  assert.is(what, '/etc/pushctl/tls.crt and /etc/pushctl/tls.key differ.');
  assert.is(message, what);
  assert.is(advice, null);
  assert.is(new OperatorProblem(`no ${COPIES}/mine.p8`).message, 'no credential mine.p8');
});

test('Why a provider is off is told with the operator’s own file', () => {
  const fcm = {
    serviceAccountFile: `${COPIES}/pushctl_account.json`,
    style: 'data',
    perMinute: 1,
    endpoint: 'https://fcm.googleapis.com',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    caFile: null,
  } as const;
  const [problem] = readCredentials({ apns: null, fcm }).problems;
  assert.is(problem?.message, 'fcm.service_account_file: /etc/pushctl/account.json does not exist.');
});

test('The log names it, whatever the line is about', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const err = new Error(`ENOENT: no such file or directory, open '${COPIES}/pushctl_tls.crt'`);
  log.error({ err, file: `${COPIES}/pushctl_tls.crt` }, 'not read');
  const { err: told, file } = JSON.parse(lines[0] ?? '') as { err: { message: string }; file: string };
  assert.is(file, '/etc/pushctl/tls.crt');
  assert.match(told.message, "open '/etc/pushctl/tls.crt'");
  assert.not.match(lines.join(''), COPIES);
});

test.run();
