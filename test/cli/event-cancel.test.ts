import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeadLetter, DeliveryCounts, Device } from '../../src/store/calls.ts';
import { databasePath } from '../../src/store/data-folder.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';
import { Resources } from '../support/resources.ts';

interface Answer {
  readonly event: { readonly public_id: string; readonly deliveries: DeliveryCounts };
  readonly withdrawn: number;
}

const test = suite('cli: event cancel');

test('An event is taken back, with no server and through a running one, and its page says when.', async () => {
  await using opened = new Resources();
  const { cli, post } = await aPhone();
  const [first, second] = [await post(), await post()];
  const { event, withdrawn } = await cli.json<Answer>(['event', 'cancel', first]);
  assert.equal([event.public_id, withdrawn, event.deliveries.withdrawn], [first, 1, 1]);

  const server = cli.start(opened, ['serve']);
  await server.waitFor(/listening/);
  const { stdout } = await cli.run(['event', 'cancel', second]);
  assert.is(stdout, `Withdrew 1 push of ${second}. 0 pushes were accepted before.\n`);
  const again = await cli.run(['event', 'cancel', second]);
  assert.is(again.stdout, `No push of ${second} was left to withdraw. 0 pushes were accepted before.\n`);
  assert.match(
    (await cli.run(['event', 'show', second])).stdout,
    /^cancelled +\d{4}-\d\d-\d\d .*withdrawn +cancelled .* ada@example.com$/ms,
  );
});

test('A push that an error of pushctl itself keeps from being cancelled is shown as that, and not as being sent.', async () => {
  const { cli, post } = await aPhone();
  const publicId = await post();
  const db = new Database(databasePath(cli.dataDir));
  db.exec(`CREATE TRIGGER bug BEFORE UPDATE OF withdrawn ON event BEGIN SELECT raise(ABORT, 'bad row'); END`);
  db.close();
  const { stdout } = await cli.run(['event', 'cancel', publicId]);
  assert.match(
    stdout,
    /^Withdrew 0 pushes of evt_.*\nAn error of pushctl holds 1 push \(SqliteError: bad row\)\..* Try again: pushctl queue retry$/m,
  );
  const { dead_letters } = await cli.json<{ dead_letters: DeadLetter[] }>(['event', 'cancel', publicId]);
  assert.is(dead_letters[0]?.reason, 'SqliteError: bad row');
});

test('All queued events are cancelled at once, if that is confirmed.', async () => {
  const { cli, post } = await aPhone();
  const [first, second] = [await post(), await post()];
  assert.match(await cli.failure(2, ['queue', 'withdraw']), 'this cancels every event with queued pushes: pass --yes');
  assert.equal(await cli.json(['queue', 'withdraw', '--yes']), {
    events: 2,
    withdrawn: 2,
    pending: 0,
    scheduled: 0,
    expired: 0,
  });
  for (const publicId of [first, second]) {
    const { event } = await cli.json<Answer>(['event', 'show', publicId]);
    assert.equal([event.deliveries.pending, event.deliveries.withdrawn], [0, 1]);
  }
  assert.is((await cli.run(['queue', 'withdraw', '--yes'])).stdout, 'No pushes are queued.\n');
});

test('A command tries dead letters again, and says how many there were', async () => {
  const { cli, post } = await aPhone();
  const publicId = await post();
  const db = new Database(databasePath(cli.dataDir));
  db.exec(`INSERT INTO dead_letter (event_id, route, lane, workspace_id, at, reason)
    SELECT event_id, route, lane, workspace_id, 0, 'bad row' FROM delivery; UPDATE delivery SET lane = 'dead_letter'`);
  db.close();
  const { stdout } = await cli.run(['queue', 'retry']);
  assert.match(stdout, /^1 dead letter will be tried again, on 1 route\./);
  const { event } = await cli.json<{ event: { set_aside: unknown[] } }>(['event', 'show', publicId]);
  assert.equal(event.set_aside, []);
  assert.equal(await cli.json(['queue', 'retry']), { events: 0, places: 0 });
});

test.run();

/** An Android phone whose provider cannot be used, so that what is queued for it waits. */
async function aPhone() {
  const cli = await Cli.ofTeam({}, 'listen = "127.0.0.1:0"\n[fcm]\nservice_account_file = "missing.json"');
  const add = ['device', 'add', 'acme', ADA, '--platform', 'android', '--token', androidToken('Pixel')];
  const { device } = await cli.json<{ device: Device }>(add);
  const post = async () => (await cli.json<Answer>(['device', 'test', device.id])).event.public_id;
  return { cli, post };
}
