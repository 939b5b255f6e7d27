import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newWebhookSecret, webhookSignature } from '../../../src/contract/webhooks.ts';
import { freePort } from '../../support/free-port.ts';
import { Resources } from '../../support/resources.ts';
import { until } from '../../support/until.ts';

const test = suite('the receiver of docs/webhooks.md');
const BODY = JSON.stringify({ type: 'webhook.test', timestamp: 'now', data: { workspace: 'acme' } });

test('it accepts a message signed by its secret once, and refuses changed, old and foreign ones', async () => {
  await using opened = new Resources();
  const secret = newWebhookSecret(randomBytes);
  const { url, printed } = await aReceiver(opened, secret);
  const nowS = Math.floor(Date.now() / 1000);
  const post = async (id: string, signedBy: readonly string[], atS = nowS, body = BODY) => {
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(atS),
      'webhook-signature': webhookSignature(signedBy, id, atS, BODY),
    };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  const another = newWebhookSecret(randomBytes);
  assert.is(await post('msg_1', [secret]), 204);
  assert.is(await post('msg_1', [another, secret]), 204, 'again, while the secret is rotated');
  assert.is(await post('msg_2', [another]), 401);
  assert.is(await post('msg_2', [secret], nowS - 400), 401);
  assert.is(await post('msg_2', [secret], nowS, `${BODY} `), 401);
  assert.is((await fetch(url, { method: 'POST', body: BODY })).status, 401);
  assert.is(await post('msg_2', [secret]), 204);
  await until('both', () => printed().split("type: 'webhook.test'").length === 3);
});

test.run();

async function aReceiver(opened: Resources, secret: string): Promise<{ url: string; printed: () => string }> {
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/webhooks.md', 'utf8')) ?? [];
  const port = await freePort();
  assert.match(program, '.listen(8080,');
  const args = ['--input-type=module', '--eval', program.replace('8080', String(port))];
  const child = spawn(process.execPath, args, { env: { ...process.env, WEBHOOK_SECRET: secret }, stdio: 'pipe' });
  opened.onEnd(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const url = `http://127.0.0.1:${port}/`;
  await until('the receiver', () =>
    fetch(url).then(
      (answer) => answer.status === 401,
      () => false,
    ),
  );
  return { url, printed: () => output };
}
