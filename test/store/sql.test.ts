import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ifGiven, withGiven } from '../../src/store/sql.ts';
import { sqlOver } from '../../src/store/sqlite/sql.ts';
import { temporaryStore } from '../support/store.ts';

const TEXT = `SELECT n FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3)
  WHERE ${ifGiven('least', 'n >= :least OR n = 0')} AND ${ifGiven('most', 'n <= :most')} ORDER BY n`;

test('a statement has the optional conditions whose parameters are given', async () => {
  const { db } = await temporaryStore();
  const find = sqlOver(db).values<{ least: number | null; most: number | null }, number>(TEXT);
  assert.equal(find({ least: null, most: null }), [1, 2, 3]);
  assert.equal(find({ least: 2, most: null }), [2, 3]);
  assert.equal(find({ least: null, most: 2 }), [1, 2]);
  assert.equal(find({ least: 2, most: 2 }), [2]);
});

test('a statement keeps no trace of conditions that were not asked for', () => {
  assert.not.match(withGiven(TEXT)({ least: null, most: 3 }), /least/);
});

test('a missing parameter of an optional condition is an error, as it is without one', () => {
  assert.throws(() => withGiven(TEXT)({ most: 3 }), /no value for :least/);
});

test.run();
