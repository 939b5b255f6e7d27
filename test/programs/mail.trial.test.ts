import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inForm } from '../../src/contract/api-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { aPair } from '../support/tls-pair.ts';
import { aReceiver, runProgram } from './receiver.ts';

const mail = suite('mail programs');
const missing = (command: string) => (spawnSync(command, ['--version']).error ? `needs ${command}` : null);
const withCurl = skipWhere(missing('curl'), mail);
const withPython = skipWhere(missing('python3'), mail);

/** Sends by `smtplib`, like scripts: with STARTTLS, a user name and the key. */
const SCRIPT = `
import smtplib, ssl, sys
from email.message import EmailMessage
host, port, ca, key = sys.argv[1:]
mail = EmailMessage()
mail['Subject'], mail['From'], mail['To'] = 'Backup done', 'nas@example.com', 'alerts@push.example.com'
mail.set_content('größer als gestern\\n.hidden\\n')
with smtplib.SMTP(host, int(port)) as smtp:
    smtp.starttls(context=ssl.create_default_context(cafile=ca))
    smtp.login('nas', key)
    smtp.send_message(mail)
`;

withPython("Python's smtplib sends with STARTTLS and the key as password", async () => {
  await using opened = new Resources();
  const { ca, files } = await aPair();
  const place = join(temporaryFolder(), 'ca.pem');
  writeFileSync(place, ca);
  const tls = { PUSHCTL_TLS_CERT: files.cert, PUSHCTL_TLS_KEY: files.key };
  const { server, sandbox, team } = await startTestServer(opened, {
    env: { ...tls, PUSHCTL_SENDERS_SMTP_LISTEN: '127.0.0.1:0' },
  });
  await team.addDevice(sandbox, { platform: 'android' });
  const { exitCode, output } = await runProgram('python3', [
    ...['-c', SCRIPT, '127.0.0.1', String(server.mailPort), place, team.key],
  ]);
  assert.is(exitCode, 0, output);
  const { payload } = await sandbox.waitForPush(({ number }) => number === 1);
  const { title, body } = (payload as { data: Record<string, string> }).data;
  assert.equal([title, body], ['Backup done', 'größer als gestern\n.hidden']);
});

withCurl('curl sends with the key in the address, and says why another is refused', async () => {
  await using opened = new Resources();
  const { key, server, nth } = await aReceiver(opened, '127.0.0.1', { PUSHCTL_SENDERS_SMTP_LISTEN: '127.0.0.1:0' });
  const file = join(temporaryFolder(), 'mail');
  writeFileSync(file, 'Subject: Disk full\r\nImportance: high\r\n\r\ndb-1 has 2 GB left\r\n');
  const to = (address: string) =>
    runProgram('curl', [
      ...['--silent', '--show-error', '--url', `smtp://127.0.0.1:${server.mailPort}`, '--mail-from', 'nas@example.com'],
      ...['--mail-rcpt', address, '--upload-file', file],
    ]);
  const taken = await to(`alerts+${inForm('tk_', key)}@push.example.com`);
  assert.is(taken.exitCode, 0, taken.output);
  const { title, level } = await nth(1);
  assert.equal([title, level], ['Disk full', 'warning']);
  const refused = await to('alerts@push.example.com');
  assert.is.not(refused.exitCode, 0);
  assert.match(refused.output, '530');
});

mail.run();
