import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withFullDisk } from '../../../src/host/doctor/causes.ts';
import { type Finding, fail, warn } from '../../../src/process/finding.ts';

const REFUSAL: Finding = {
  ...fail('server', 'runs, but accepts no events: database or disk is full (SQLITE_FULL)', 'free some space'),
  stops: 'events',
};
const NO_SPACE = fail('disk', '0 MiB are free for /var/lib/pushctl', 'free some space');

test('A server that accepts nothing because the disk is full is the finding about the disk', () => {
  const other = warn('write-ahead log', 'takes 200 MiB', 'end long reads');
  assert.equal(withFullDisk([other, NO_SPACE, REFUSAL]), [
    other,
    { ...NO_SPACE, message: '0 MiB are free for /var/lib/pushctl, so the server accepts no events', stops: 'events' },
  ]);
});

test('A full database is a finding of its own if the disk has room, such as beyond a quota', () => {
  const warning = warn('disk', '900 MiB are free for /var/lib/pushctl', 'free some space');
  assert.equal(withFullDisk([warning, REFUSAL]), [warning, REFUSAL]);
  assert.equal(withFullDisk([NO_SPACE]), [NO_SPACE]);
});

test.run();
