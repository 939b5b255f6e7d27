import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPypi } from '../support/registries.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { aReceiver, runProgram, startProgram } from './receiver.ts';

const ADDRESS = '127.0.0.80';
const SEND = `
import logging, sys
from slack_sdk.http_retry.builtin_handlers import ConnectionErrorRetryHandler, ServerErrorRetryHandler
from slack_sdk.webhook import WebhookClient

_, url, text, times = sys.argv
logging.basicConfig(level=logging.INFO)
client = WebhookClient(url)
if times:
    client.retry_handlers = [
        ConnectionErrorRetryHandler(max_retry_count=int(times)),
        ServerErrorRetryHandler(max_retry_count=int(times)),
    ]
answer = client.send(text=text)
print(answer.status_code, answer.body)
`;

const slackSdk = suite('slack-sdk');
const { folder, obstacle } = fromPypi('slack_sdk==3.47.0');
const withSlackSdk = skipWhere(obstacle, slackSdk);
const python = join(folder, 'bin/python');
const sending = (url: string, text: string, times = '') => ['-c', SEND, url, text, times];

withSlackSdk('slack_sdk sends to the device, and loses what it cannot send at its second try', async () => {
  await using opened = new Resources();
  const receiver = await aReceiver(opened, ADDRESS);
  const url = `${receiver.server.url}/senders/slack/${receiver.key}`;
  const text = 'Deploy of *shop* finished :tada: <https://ci.example.com/1|Open>';
  assert.match((await runProgram(python, sending(url, text))).output, /^200 ok$/m);
  const shown = await receiver.nth(1);
  assert.equal(
    [shown.title, shown.body, shown.url],
    ['alerts', 'Deploy of shop finished 🎉 Open', 'https://ci.example.com/1'],
  );

  await receiver.goAway();
  const lost = await runProgram(python, sending(url, 'Lost'));
  assert.is(lost.exitCode, 1);
  assert.match(lost.output, /A retry handler found: ConnectionErrorRetryHandler.*Connection refused/s);
  await receiver.comeBack();
  await runProgram(python, sending(url, 'Sent'));
  assert.is((await receiver.nth(2)).body, 'Sent');
});

withSlackSdk('slack_sdk with more tries sends once the server is back', async () => {
  await using opened = new Resources();
  const receiver = await aReceiver(opened, ADDRESS);
  await receiver.goAway();
  const url = `${receiver.server.url}/senders/slack/${receiver.key}`;
  const running = startProgram(opened, python, sending(url, 'Late', '10'));
  await running.waitFor(/A retry handler found/);
  await receiver.comeBack();
  assert.is((await receiver.nth(1)).body, 'Late');
});

slackSdk.run();
