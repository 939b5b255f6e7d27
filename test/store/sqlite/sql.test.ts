import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sqlOver } from '../../../src/store/sqlite/sql.ts';
import { temporaryStore } from '../../support/store.ts';

test('A parameter that is missing is an error, and one that is undefined is NULL', async () => {
  const { db } = await temporaryStore();
  const same = sqlOver(db).value<Readonly<Record<string, unknown>>, unknown>('SELECT :wanted');
  assert.is(same({ wanted: 7, other: 8 }), 7);
  assert.is(same({ wanted: undefined }), null);
  assert.throws(() => same({ wnated: 7 }), /no value for :wanted/);
});

test.run();
