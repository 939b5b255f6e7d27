/**
 * A member registers browsers at hosts that are none, below the domain of a real push service. That is their own loss:
 * no route pauses, and pushes of others arrive. A connection that was never made is no fault of a device, so the browsers
 * stay as they are.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { browserKeys } from '../support/browser-keys.ts';
import { ADA, BOB } from '../support/cast.ts';
import { withServer } from '../support/faults.ts';
import { granted } from '../support/refusals.ts';
import type { Sandbox } from '../support/sandbox/start.ts';
import { until } from '../support/until.ts';
import { additionsTo, populate } from '../support/workspace.ts';

/** The most that one person may have. */
const MADE_UP = 50;
const REAL = 'https://updates.push.services.mozilla.com';
const madeUp = Array.from({ length: MADE_UP }, (_, n) => `https://nosuch${n}.push.services.mozilla.com`);

test('hosts that a member made up pause nothing, and urgent pushes of another workspace arrive', () =>
  withServer(
    async ({ server, sandbox, team, log, deliveries }) => {
      await team.join(BOB);
      for (const origin of madeUp) {
        const subscription = { endpoint: `${origin}/wpush/v2/x`, keys: browserKeys() };
        const device = { platform: 'web' as const, subscription, subscribe: ['alerts'] };
        granted(await team.store.addDevice({ workspace: 'acme', email: BOB, ...device }));
      }
      await populate(team.store, { workspace: 'umbrella' });
      const umbrella = additionsTo(team.store, { workspace: 'umbrella' });
      const endpoint = sandbox.token({ platform: 'web', service: 'webpush_mozilla' });
      await umbrella.addDevice(
        { platform: 'web', subscription: { endpoint, keys: sandbox.webpush.keysOf(endpoint) } },
        ADA,
      );
      const { text: key } = await umbrella.issueKey();

      const { body } = await team.post({ delivery_urgency: 'time_sensitive' });
      for (let posted = 0; posted < 3; posted += 1) {
        await team.post({ delivery_urgency: 'time_sensitive' });
        await fetch(`${server.url}/api/v1/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ channel: 'alerts', title: 'Disk full', delivery_urgency: 'time_sensitive' }),
        });
        await until(
          'the push of the other workspace',
          () => accepted(sandbox, endpoint) > posted || accepted(sandbox, endpoint),
        );
      }
      await until('six tries of one', async () => {
        const tries = (await deliveries(body.event.public_id)).map(({ attempts }) => attempts.length);
        return tries.some((count) => count >= 6) || tries;
      });
      const page = granted(await team.store.listDevices({ workspace: 'acme', limit: 100 }));
      assert.ok(page.devices.length > MADE_UP, String(page.devices.length));
      assert.equal(
        page.devices.filter(({ status }) => status !== 'active'),
        [],
      );
      assert.equal(
        log.filter(({ msg }) => msg === 'route paused, its pushes wait'),
        [],
      );
      // A stop sends what is due for 25 s, and these are due again all the time.
      granted(await team.store.removeMember({ workspace: 'acme', email: BOB }));
    },
    {
      env: async ({ webpush: { urls } }) => ({
        PUSHCTL_WEBPUSH_ENDPOINTS: [
          `${REAL}=${urls.webpush_mozilla}`,
          ...madeUp.map((origin) => `${origin}=https://127.0.0.1:1`),
        ].join(),
      }),
    },
  ));

test.run();

function accepted(sandbox: Sandbox, endpoint: string): number {
  return sandbox.pushes.filter(({ token }) => token === endpoint).length;
}
