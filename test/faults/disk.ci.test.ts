import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fill, withSmallDisk } from '../support/disk.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { settled, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const DISK_KB = 16 * 1024;
const disk = suite('a full disk');

disk('is answered with 503, loses nothing that was promised, and is over once there is room, without a restart', () =>
  withSmallDisk(DISK_KB, async (folder) => {
    await using opened = new Resources();
    const lines: string[] = [];
    const { sandbox, team } = await startTestServer(opened, {
      env: { PUSHCTL_DATA_DIR: join(folder, 'data') },
      log: (line) => void lines.push(line),
    });
    const linesWith = (what: string) => lines.filter((line) => line.includes(what));
    for (let device = 0; device < 5; device += 1) await team.addDevice(sandbox, { platform: 'ios' });
    const promised = [];
    // Answered so late that the disk is full by the time it is settled.
    const takeBack = sandbox.behave({ match: {}, answer: { kind: 'accept', afterMs: 1_500 } });
    promised.push((await team.post()).body.event.public_id);
    await sandbox.waitForPush(() => true);
    fill(join(folder, 'ballast'));
    let refused = 0;
    for (let post = 0; post < 200 && refused < 3; post += 1) {
      const { status, body } = await team.post({ description: 'x'.repeat(1_000) });
      if (status === 202) promised.push(body.event.public_id);
      else assert.is(status, 503);
      if (status === 503) refused += 1;
    }
    assert.is(refused, 3, 'the disk is full');
    assert.is(linesWith('the database cannot be written').length, 1, 'however many posts are refused');
    takeBack();
    await until(
      'pushes of all that was promised',
      () => sandbox.pushes.length >= promised.length || sandbox.pushes.length,
    );
    rmSync(join(folder, 'ballast'));
    for (const publicId of promised) assert.is((await settled(team, publicId)).deliveries.accepted, 5);
    assert.is((await team.post()).status, 202);
    await until('the end is reported', () => linesWith('the database can be written again').length > 0);
    assert.is(linesWith('the database cannot be written').length, 1);
    assert.match(linesWith('the database can be written again')[0] ?? '', /"refused":3,/);
    const { events } = granted(await team.store.listEvents({ workspace: 'acme', limit: 1_000 }));
    assert.is(events.length, promised.length + 1, 'what was refused is not stored');
  }),
);

disk.run();
