import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../src/process/clock.ts';
import { TokenKeeper } from '../../../src/providers/signing/tokens.ts';
import { webPushProbe } from '../../../src/providers/webpush/probe.ts';
import { PROVIDERS } from '../../../src/push.ts';
import { settingsOf } from '../../support/providers.ts';
import { Resources } from '../../support/resources.ts';
import { startSandbox } from '../../support/sandbox/start.ts';
import { aSandbox } from '../../support/sandbox.ts';

const CLOCK = systemClock();
const TOKENS = new TokenKeeper(CLOCK);

test('each push service is asked for its certificate, and none of them is pushed to', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const { webpush } = settingsOf(sandbox);
  for (const route of PROVIDERS.webpush.routes) {
    const probed = await webPushProbe.ask(route, webpush, CLOCK, TOKENS);
    assert.equal(probed, route === 'webpush_other' ? null : { works: 'can be reached' }, route);
  }
  assert.is(sandbox.counts.accepted, 0);
});

test('one that is not reached is a fault, but a single region of Microsoft only gives a warning', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox());
  const { webpush } = settingsOf(sandbox);
  const nowhere = { ...webpush, hosts: ['push.example.com'], endpoints: toNowhere(webpush.endpoints) };
  for (const route of PROVIDERS.webpush.routes) {
    const probed = await webPushProbe.ask(route, nowhere, CLOCK, TOKENS);
    assert.ok(probed && (route === 'webpush_microsoft' ? 'warning' : 'refused') in probed, route);
  }
  // With an authority of its own, which the sandboxes of one file otherwise share.
  const another = opened.add(await startSandbox());
  const untrusting = { ...webpush, ca: another.caPem };
  const probed = await webPushProbe.ask('webpush_google', untrusting, CLOCK, TOKENS);
  assert.match(
    JSON.stringify(probed),
    /^{"refused":{"kind":"unavailable","reason":"connect_failed","words":"[^"]+CERT[^"]*; it is for CN=[^"]*, issued by CN=/,
  );
});

test.run();

function toNowhere(endpoints: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const origins = [...Object.keys(endpoints), 'https://push.example.com'];
  return Object.fromEntries(origins.map((origin) => [origin, 'https://127.0.0.1:1']));
}
