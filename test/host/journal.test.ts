import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isJournal, levelOf, withSeverity } from '../../src/host/systemd.ts';

test('Each line for the journal begins with its severity', () => {
  const lines: string[] = [];
  const destination = withSeverity({ write: (line) => void lines.push(line) });
  const log = pino({ level: 'debug', base: null, timestamp: false }, destination);
  log.fatal('a');
  log.error('b');
  log.warn('c');
  log.info('d');
  log.debug('e');
  const beginnings = lines.map((line) => line.slice(0, 4));
  assert.equal(beginnings, ['<2>{', '<3>{', '<4>{', '<6>{', '<7>{']);
});

test('A severity of the journal is a level of the log, also one that the log does not know', () => {
  assert.equal([0, 2, 3, 4, 5, 6, 7].map(levelOf), [60, 60, 50, 40, 30, 30, 20]);
});

test('Standard output is the journal only if it is the stream that systemd names', () => {
  assert.not(isJournal({}));
  assert.not(isJournal({ JOURNAL_STREAM: '0:0' }));
});

test.run();
