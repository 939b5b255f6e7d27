import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryLine } from '../../src/store/calls.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { withServer } from '../support/faults.ts';
import { settled } from '../support/server.ts';

const story = suite('the story of an event');

story('counts over HTTP, and each try with its time and reason on the command line', () =>
  withServer(async (server) => {
    const { team, sandbox, env } = server;
    const good = await team.addDevice(sandbox, { platform: 'ios' });
    const dead = await team.addDevice(sandbox, { platform: 'ios', behaviour: 'unregistered' });
    const late = await team.addDevice(sandbox, { platform: 'android', behaviour: 'flapping' });
    const posted = (
      await team.post({ description: 'd'.repeat(1_000), url: `https://example.com/${'u'.repeat(2_000)}` })
    ).body;
    const { event, deliveries } = await settled(team, posted.event.public_id);
    assert.is(posted.event.target_device_count, 3);
    assert.equal(event, posted.event, 'the record stays as it was first shown');
    assert.is(deliveries.accepted, 2);
    assert.is(deliveries.unregistered, 1);
    assert.is(deliveries.pending, 0);

    const cli = new Cli();
    const shown = await cli.json<{ deliveries: DeliveryLine[] }>(['event', 'show', posted.event.public_id], { env });
    const linesOf = (id: string) =>
      shown.deliveries
        .filter(({ device_id }) => device_id === id)
        .flatMap(({ attempts }) => attempts.map(({ state, reason }) => [state, reason]));
    assert.equal(linesOf(good.id), [['accepted', null]]);
    assert.equal(linesOf(dead.id), [['unregistered', 'Unregistered']]);
    assert.equal(linesOf(late.id), [
      ['deferred', 'UNAVAILABLE'],
      ['accepted', null],
    ]);
    const times = shown.deliveries.flatMap(({ attempts }) => attempts.map(({ at }) => Date.parse(at)));
    assert.ok(times.length === 4 && times.every((atMs) => atMs >= Date.parse(String(event.received_at))));
  }),
);

story.run();
