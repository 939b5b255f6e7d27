import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FileWatch } from '../../src/server/credential-rotation.ts';
import { temporaryFolder } from '../support/folder.ts';
import { untilIs } from '../support/until.ts';

test('a watch that is stopped during a look reports nothing of it', async () => {
  const file = join(temporaryFolder(), 'key.pem');
  const due: (() => void)[] = [];
  let changes = 0;
  writeFileSync(file, 'one');
  const watch = new FileWatch({
    files: () => [file],
    after: (_ms, fn) => {
      due.push(fn);
      return () => {};
    },
    onChange: async () => {
      changes += 1;
    },
  });
  writeFileSync(file, 'another');
  watch.start();
  due.shift()?.();
  await untilIs('the next look', () => due.length, 1);
  due.shift()?.();
  watch.stop();
  for (let looks = 0; looks < 10; looks += 1) await stat(file);
  assert.is(changes, 0);
});

test.run();
