import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Device } from '../../src/store/calls.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';

const test = suite('cli: event show');

test('One command says for each device of a member why it did not get an event, in 80 columns.', async () => {
  const cli = await Cli.ofTeam({}, 'listen = "127.0.0.1:0"\n[fcm]\nservice_account_file = "missing.json"');
  const add = ['device', 'add', 'acme', ADA, '--platform', 'android', '--name', 'Phone'];
  const devices: string[] = [];
  for (const name of ['Pixel', 'Tablet']) {
    const { device } = await cli.json<{ device: Device }>([...add, '--token', androidToken(name)]);
    devices.push(device.id);
  }
  const [tested = '', other = ''] = devices;
  const { event } = await cli.json<{ event: { public_id: string } }>(['device', 'test', tested]);
  const shown = await cli.run(['event', 'show', event.public_id, '--email', ADA]);
  const lines = shown.stdout.split('\n');
  assert.match(lines.find((line) => line.startsWith(tested)) ?? '', /waits: the server does not run +Phone$/);
  const fewer = await cli.run(['event', 'show', event.public_id, '--email', ADA, '--limit', '1']);
  assert.match(fewer.stdout, /Phone\n1 more device\. See them without --limit\.\n$/);
  assert.match(lines.find((line) => line.startsWith(other)) ?? '', /for other devices only +Phone$/);
  assert.equal(
    lines.filter((line) => line.length > 80),
    [],
  );
  await cli.run(['route', 'pause', 'fcm']);
  const paused = await cli.run(['event', 'show', event.public_id, '--email', ADA]);
  assert.match(paused.stdout, 'route paused: an operator paused it');
  const whole = await cli.run(['event', 'show', event.public_id]);
  assert.match(whole.stdout, /^never tried +1 device: route paused$/m);
  assert.match((await cli.run(['device', 'list', 'acme'])).stdout, new RegExp(`${tested}  ${ADA} +android`));
});

test('The page of an event says for each device when it was accepted, shown and opened.', async () => {
  const cli = await Cli.ofTeam({}, 'listen = "127.0.0.1:0"\n[fcm]\nservice_account_file = "missing.json"');
  const add = ['device', 'add', 'acme', ADA, '--platform', 'android', '--token', androidToken('Pixel')];
  const { device } = await cli.json<{ device: Device }>(add);
  const { event } = await cli.json<{ event: { public_id: string } }>(['device', 'test', device.id]);
  const database = new Database(databasePath(cli.dataDir));
  database.exec(`
    UPDATE delivery SET state = 'accepted', attempts = 1, due_at = NULL;
    UPDATE event SET accepted = 1, shown = 1, opened = 1;
    INSERT INTO receipt (event_id, device_id, shown_at, opened_at)
    SELECT event_id, device_id, at + 1000, at + 61000 FROM delivery`);
  database.close();
  const { stdout } = await cli.run(['event', 'show', event.public_id]);
  assert.match(stdout, '1 accepted, 1 shown, 1 opened');
  const states = stdout.split('\n').flatMap((line) => /\d\d:\d\dZ? +(accepted|shown|opened)\b/.exec(line)?.[1] ?? []);
  assert.equal(states, ['accepted', 'shown', 'opened']);
});

test.run();
