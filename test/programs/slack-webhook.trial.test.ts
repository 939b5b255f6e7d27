import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromNpm } from '../support/registries.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { aReceiver, runProgram, startProgram } from './receiver.ts';

const ADDRESS = '127.0.0.81';
const slackWebhook = suite('slack-webhook');
const { folder, obstacle } = fromNpm('@slack/webhook@8.0.2');
const withSlackWebhook = skipWhere(obstacle, slackWebhook);

const SEND = `
const { createRequire } = require('node:module');
const { IncomingWebhook } = createRequire('${folder}/')('@slack/webhook');
const [, url, text, retries] = process.argv;
const onFailedAttempt = ({ attemptNumber }) => console.log('failed', attemptNumber);
const retryConfig = { retries: Number(retries), minTimeout: 200, onFailedAttempt };
const webhook = new IncomingWebhook(url, retries ? { retryConfig } : {});
webhook.send({ text, attachments: [{ color: 'danger', text: 'no space left' }] }).then(
  (answer) => console.log(answer.text),
  (error) => {
    console.log(error.code);
    process.exitCode = 1;
  },
);
`;
const sending = (url: string, text: string, retries = '') => ['-e', SEND, url, text, retries];

withSlackWebhook('@slack/webhook sends to the device, and loses what it cannot send at once', async () => {
  await using opened = new Resources();
  const receiver = await aReceiver(opened, ADDRESS);
  const url = `${receiver.server.url}/senders/slack/${receiver.key}`;
  assert.equal(await runProgram(process.execPath, sending(url, 'Backup failed')), { exitCode: 0, output: 'ok\n' });
  const { title, body, level } = await receiver.nth(1);
  assert.equal([title, body, level], ['Backup failed', 'no space left', 'error']);

  await receiver.goAway();
  const lost = await runProgram(process.execPath, sending(url, 'Lost'));
  assert.equal(lost, { exitCode: 1, output: 'slack_webhook_request_error\n' });
  await receiver.comeBack();
  await runProgram(process.execPath, sending(url, 'Sent'));
  assert.is((await receiver.nth(2)).title, 'Sent');
});

withSlackWebhook('@slack/webhook with retries sends once the server is back', async () => {
  await using opened = new Resources();
  const receiver = await aReceiver(opened, ADDRESS);
  await receiver.goAway();
  const url = `${receiver.server.url}/senders/slack/${receiver.key}`;
  const running = startProgram(opened, process.execPath, sending(url, 'Late', '10'));
  await running.waitFor(/^failed 1$/m);
  await receiver.comeBack();
  assert.is((await receiver.nth(1)).title, 'Late');
});

slackWebhook.run();
