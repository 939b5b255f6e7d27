import { join } from 'node:path';
import Database from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storedFindings } from '../../src/health/findings.ts';
import { readOffline } from '../../src/store/sqlite/offline.ts';
import { withServer } from '../support/faults.ts';
import { granted } from '../support/refusals.ts';
import { settled } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';

const poison = suite('an event that cannot be worked off');

poison('It becomes a dead letter and is reported; events posted with it and after it are delivered', () =>
  withServer(async ({ env, team, log, addDevices }) => {
    await addDevices('fcm', 1);
    const dataDir = String(env.PUSHCTL_DATA_DIR);
    const db = new Database(join(dataDir, 'pushctl.db'));
    db.exec(`CREATE TRIGGER poison BEFORE INSERT ON delivery
      WHEN (SELECT title FROM event WHERE id = new.event_id) = 'poison' BEGIN SELECT raise(ABORT, 'bad row'); END`);
    db.close();
    const posted = await Promise.all(['good', 'poison', 'good'].map((title) => team.post({ title })));
    const [first, bad, second] = posted.map(({ body }) => String(body.event.public_id));
    const asideOf = async () => {
      const shown = granted(await team.store.showEvent({ publicId: String(bad), limit: 1 }));
      return shown.event.set_aside;
    };
    await untilIs('it is a dead letter', async () => (await asideOf()).length, 1);
    const later = (await team.post({ title: 'later' })).body.event.public_id;
    for (const publicId of [first, second, later]) {
      assert.is((await settled(team, String(publicId))).deliveries.accepted, 1);
    }
    assert.equal(
      (await asideOf()).map(({ route, reason }) => [route, reason]),
      [['fcm', 'SqliteError: bad row']],
    );
    await until('it is reported', () => log.some(({ msg }) => String(msg).includes('dead letter')));
    const { stored } = await readOffline(dataDir);
    assert.ok(stored);
    const finding = storedFindings(stored).find(({ check }) => check === 'queue');
    assert.is(finding?.status, 'fail');
    assert.match(
      String(finding?.message),
      new RegExp(`^an event could not be .* ${bad} on fcm: SqliteError: bad row$`),
    );
  }),
);

poison.run();
