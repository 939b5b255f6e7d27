import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Alert, Channel } from '../../src/store/calls.ts';
import { INSISTING } from '../support/alerts.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { storeHere } from '../support/store-here.ts';
import { valuesOf } from '../support/values-of.ts';
import { anEvent, workspaceIdOf } from '../support/workspace.ts';

const test = suite('cli: alerts');

test('A channel insists, says so, and insists no more.', async () => {
  const cli = await Cli.ofTeam({ channels: ['alerts', 'leads'] });
  const insist = ['channel', 'insist', 'acme', 'alerts'];
  const { channel } = await cli.json<{ channel: Channel }>([...insist, '--escalate-to', 'leads', '--after', '15m']);
  assert.equal(channel.insist, {
    repeat: 120,
    until: 3_600,
    ring_after: 0,
    escalate: { after: 900, channel: 'leads' },
  });
  const text = 'insists every 2m for 1h, and escalates to leads after 15m';
  assert.match((await cli.run(['channel', 'show', 'acme', 'alerts'])).stdout, text);
  assert.match((await cli.run([...insist, '--off'])).stdout, 'acme/alerts does not insist.');
  assert.match(await cli.failure(2, [...insist, '--escalate-to', 'leads']), '--escalate-to and --after go together');
  assert.match(await cli.failure(2, [...insist, '--repeat', '30s']), /insist\.repeat .* from 60 to 3600/);
  assert.match(await cli.failure(2, [...insist, '--escalate-to', 'lead', '--after', '15m']), 'The nearest is "leads"');
});

test('An alert is listed, shown, acknowledged in the name of a member, and resolved.', async () => {
  const cli = await Cli.ofTeam({ channels: ['alerts', 'leads'] });
  await cli.json(['channel', 'insist', 'acme', 'alerts']);
  const id = await posted(cli);
  assert.match((await cli.run(['alert', 'list', 'acme'])).stdout, new RegExp(`^${id} .* alerts +open +`, 'm'));
  assert.match((await cli.run(['alert', 'show', id])).stdout, /state +open/);
  const acknowledge = ['alert', 'acknowledge', id, '--as', ADA];
  assert.match((await cli.run(acknowledge)).stdout, `Acknowledged 1 alert, up to ${id}.`);
  assert.match((await cli.run([...acknowledge, '--for', '1h'])).stdout, new RegExp(`^ada has ${id}, until `));
  const { alert } = await cli.json<{ alert: Alert }>(['alert', 'resolve', id]);
  assert.is(alert.state, 'resolved');
  assert.match((await cli.run(['alert', 'resolve', id])).stdout, `${id} is resolved already`);
  assert.match((await cli.run(['alert', 'reopen', id])).stdout, `Restored ${id}: ada has it.`);
  assert.match(await cli.failure(1, ['alert', 'reopen', id, '--all', '--as', ADA]), 'Your last change');
  assert.match((await cli.run(['alert', 'reopen', id])).stdout, `Reopened ${id}.`);
  assert.match((await cli.run(['alert', 'reopen', id])).stdout, `${id} is open already.`);
  assert.match((await cli.run(['alert', 'show', id])).stdout, /reopened by +\w+/);
  assert.match(await cli.failure(1, ['alert', 'reassign', id, 'bob']), 'Nobody called "bob" has a device');
  await cli.json(['alert', 'resolve', id]);
  const { alerts } = await cli.json<{ alerts: Alert[] }>(['alert', 'list', 'acme', '--state', 'ended']);
  assert.equal(valuesOf(alerts, 'id'), [id]);
  assert.match(await cli.failure(1, ['alert', 'show', 'evt_none']), 'No event has the id');
});

async function posted({ dataDir }: Cli): Promise<string> {
  const store = storeHere(dataDir);
  try {
    const answer = await store.acceptEvent(anEvent(await workspaceIdOf(store, 'acme'), INSISTING));
    return answer.kind === 'accepted' ? answer.event.public_id : '';
  } finally {
    await store.close();
  }
}

test.run();
