import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryCounts, LinkLoss } from '../../src/store/calls.ts';
import { openLocalStore } from '../../src/store/transports/socket-or-in-process.ts';
import { androidToken } from '../support/android-token.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';
import { SimulatedClock } from '../support/simulation.ts';
import { someSettings } from '../support/store.ts';
import { aWorkspace } from '../support/workspace.ts';

interface Answer {
  readonly event: {
    readonly public_id: string;
    readonly target_device_count: number;
    readonly deliveries: DeliveryCounts;
  };
  readonly resent: number;
  readonly links: LinkLoss;
}
const DAY_MS = 86_400_000;

const test = suite('cli: event resend');

test('Expired pushes of an event are queued again, and the event is posted once more, also by a running server.', async () => {
  await using opened = new Resources();
  const { cli, publicId } = await anExpiredEvent();
  const resent = await cli.json<Answer>(['event', 'resend', publicId]);
  assert.equal([resent.event.public_id, resent.resent, resent.links], [publicId, 1, 'lost']);
  assert.is(resent.event.deliveries.pending, 1);
  assert.match((await cli.run(['event', 'show', publicId])).stdout, /^resent +\d{4}-.*: 1 push$/m);
  const nothing = await cli.failure(1, ['event', 'resend', publicId]);
  assert.match(nothing, /Nothing of event "evt_.*" failed or expired\..*event resend --all/);

  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  const { stdout } = await cli.run(['event', 'resend', publicId, '--all']);
  const [, again = ''] =
    /as (evt_[0-9a-z]{26}), for 1 device\.\nIt had links or data, .* without them\.$/m.exec(stdout) ?? [];
  assert.is.not(again, publicId);
  assert.match(
    (await cli.run(['event', 'show', again])).stdout,
    /^happened +2026-11-21 08:15:00Z$.*^title +Disk full$/ms,
  );
});

test.run();

/** An event for an Android phone, whose provider cannot be used. */
async function anExpiredEvent() {
  const cli = new Cli('listen = "127.0.0.1:0"\n[fcm]\nservice_account_file = "missing.json"');
  const { event } = await cli.populate(async (store) => {
    const acme = await aWorkspace(store);
    await acme.addDevice({ platform: 'android', token: androidToken('Pixel') });
    return acme.accept({ hadLinks: true, occurredAtMs: Date.UTC(2026, 10, 21, 8, 15) });
  });
  const options = { dataDir: cli.dataDir, settings: someSettings() };
  const tomorrow = openLocalStore(options, undefined, new SimulatedClock(Date.now() + DAY_MS));
  await tomorrow.expireOverdue({});
  await tomorrow.close();
  return { cli, publicId: event.public_id };
}
