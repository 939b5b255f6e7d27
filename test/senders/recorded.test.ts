import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Resources } from '../support/resources.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { startTestServer } from '../support/server.ts';
import { DEADLINE_MS } from '../support/until.ts';
import { EXPECTED, type Shown } from './expected.ts';
import { type Answer, recordings, replay } from './recordings.ts';

const SHOWN = ['title', 'body', 'level', 'delivery_urgency', 'url', 'occurred_at'] satisfies (keyof Shown)[];

const recorded = suite('recorded');
const opened = new Resources();
const { server, sandbox, team } = await startTestServer(opened, {
  env: { PUSHCTL_SENDERS_HOSTS: 'ntfy.example.com=ntfy,hooks.example.com=slack' },
});
await team.addDevice(sandbox, { platform: 'android' });
const { text: key } = await team.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
recorded.after(() => opened[Symbol.asyncDispose]());

for (const recording of recordings()) {
  const { name } = recording;
  recorded(`${name} arrives on the device as expected, and its program gets the answer that it wants`, async () => {
    const before = sandbox.counts.accepted;
    const answer = await replay(server.url, recording, key);
    assert.is(answer.status, name.startsWith('pagerduty/') ? 202 : 200, answer.text);
    const expected = EXPECTED[name];
    if (expected === undefined) throw new Error(`nothing is expected of ${name}`);
    checkAnswer(name, answer);
    if (expected !== null) assert.equal(await shownAfter(sandbox, before), expected);
  });
}

recorded('Nothing is expected of a request that was not recorded', () => {
  assert.equal(
    Object.keys(EXPECTED).sort(),
    recordings().map(({ name }) => name),
  );
});

recorded.run();

/** Returns the next notification on the device. */
async function shownAfter({ waitForPush }: Sandbox, count: number): Promise<unknown> {
  const { payload } = await waitForPush(({ number }) => number > count, DEADLINE_MS);
  const { workspace, channel, ...shown } = payload.data as Record<string, string>;
  assert.equal([workspace, channel], ['acme', 'alerts']);
  return Object.fromEntries(SHOWN.flatMap((name) => (shown[name] === undefined ? [] : [[name, shown[name]]])));
}

/** Alertmanager, Grafana and what posts JSON want a 2xx, all others more. */
function checkAnswer(name: string, { type, text }: Answer): void {
  const [format] = name.split('/');
  if (format === 'slack') assert.equal([type.split(';')[0], text], ['text/plain', 'ok']);
  if (name === 'ntfy/home-assistant-account') assert.is(JSON.parse(text).username, 'acme');
  else if (format === 'ntfy') assert.equal([JSON.parse(text).event, JSON.parse(text).topic], ['message', 'alerts']);
  if (format === 'pagerduty') assert.is(JSON.parse(text).message, 'Event processed');
  if (format === 'gotify') assert.type(JSON.parse(text).id, 'number');
}
