import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { planReadings, type Side, type Tables } from '../../../src/store/engine-migration/copying.ts';
import type { EngineName } from '../../../src/store/schema/files.ts';
import { problemOf } from '../../support/problem.ts';

/** Columns by name; `!` at the end of a name: the column is required. */
function side(engine: EngineName, tables: Readonly<Record<string, string>>): Side {
  const columnsOf = (text: string) =>
    text.split(' ').map((name) => ({ name: name.replace('!', ''), type: 'TEXT', isRequired: name.endsWith('!') }));
  return {
    engine,
    place: engine,
    tables: new Map(Object.entries(tables).map(([table, text]) => [table, columnsOf(text)])) as Tables,
  };
}

const SQLITE = { plan: 'name! events', tally: 'hour! reason! count!', import_sample: 'address!', moved: 'place!' };
const POSTGRES = { plan: 'name! events', tally: 'hour! reason! node_id! count!', node: 'id!', room: 'filler!' };

test('Columns with the same name are copied, exceptions are computed, and tables about the database itself stay', () => {
  assert.equal(planReadings(side('sqlite', SQLITE), side('postgres', POSTGRES)), [
    {
      table: 'plan',
      columns: ['name', 'events'],
      select: 'SELECT "name" AS "name", "events" AS "events" FROM "plan" ',
    },
    {
      table: 'tally',
      columns: ['hour', 'reason', 'node_id', 'count'],
      select: 'SELECT "hour" AS "hour", "reason" AS "reason", 0 AS "node_id", "count" AS "count" FROM "tally" ',
    },
  ]);
  const back = planReadings(side('postgres', POSTGRES), side('sqlite', SQLITE));
  assert.equal(
    back.map(({ table }) => table),
    ['plan', 'tally'],
  );
  assert.match(back[1]?.select ?? '', 'sum(count) AS "count" FROM "tally" GROUP BY hour');
});

test('Between two databases of one engine nothing is computed', () => {
  const [, tally] = planReadings(side('sqlite', SQLITE), side('sqlite', SQLITE));
  assert.is(tally?.select, 'SELECT "hour" AS "hour", "reason" AS "reason", "count" AS "count" FROM "tally" ');
});

test('A column that the target may lack, or that it fills by itself, is no obstacle', () => {
  const target = side('postgres', { ...POSTGRES, plan: 'name! events color', later: 'id!' });
  assert.equal(planReadings(side('sqlite', SQLITE), target)[0]?.columns, ['name', 'events']);
});

const LOST: readonly [what: string, from: Side, to: Side, why: RegExp][] = [
  ['a table', side('sqlite', { ...SQLITE, later: 'id' }), side('postgres', POSTGRES), /nothing takes its table later/],
  [
    'a column',
    side('sqlite', { ...SQLITE, plan: 'name! events color' }),
    side('postgres', POSTGRES),
    /nothing takes the column color of plan/,
  ],
  [
    'a column, on the way back',
    side('postgres', { ...POSTGRES, tally: 'hour! reason! node_id! count! sum' }),
    side('sqlite', SQLITE),
    /nothing takes the column sum of tally/,
  ],
  [
    'a required column of the target',
    side('sqlite', SQLITE),
    side('postgres', { ...POSTGRES, plan: 'name! events color!' }),
    /it lacks the column color of plan/,
  ],
];
for (const [what, from, to, why] of LOST) {
  test(`Nothing is moved if this would lose ${what}`, () => {
    const { message } = problemOf(() => planReadings(from, to));
    assert.match(message, why);
    assert.match(message, `${from.place} cannot be moved to ${to.place}`);
    assert.match(message, 'start over with an empty store');
  });
}

test.run();
