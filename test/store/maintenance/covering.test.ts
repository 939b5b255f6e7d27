import * as assert from 'uvu/assert';
import { ownCollapseKey } from '../../../src/contract/event-body.ts';
import { isCoveredBy } from '../../../src/contract/loudness.ts';
import { conformance, type OnEngine, type PostgresOnly, type SqliteOnly } from '../../support/engines.ts';
import { aWorld, type World } from '../../support/world.ts';

const { it, run } = conformance('maintenance: what a window covers', ({ engine }: OnEngine) => aWorld({ engine }));

const OWN = ownCollapseKey('disk-1');
const ONLY = [null, '*', 'disk-1', 'disk-*', 'disk-1*', 'disk-12', 'Disk-*', '%', 'd_sk-1', '*-1', 'ö😀*', 'disk-**'];
const KEYS = [null, '', 'disk-1', OWN, ownCollapseKey(OWN), 'disk-', 'disk', 'disk-12', 'disk-*', 'ö😀', 'ö😀1', 'ö'];
const PAIRS = ONLY.flatMap((only) => KEYS.map((key) => ({ only, key })));

it('the stores decide like the rule of the contract', async (world) => {
  const found: unknown[] = [];
  for (const pair of PAIRS) found.push(await coversIn(world, pair));
  assert.equal(
    PAIRS.filter((_, nth) => found[nth] === 1),
    PAIRS.filter(({ only, key }) => isCoveredBy(only, key)),
  );
});

run();

function coversIn(world: World, pair: (typeof PAIRS)[number]): unknown {
  const text = 'SELECT CASE WHEN window_covers(CAST(:only AS TEXT), CAST(:key AS TEXT)) THEN 1 ELSE 0 END';
  const { db, store } = world as unknown as Partial<SqliteOnly & PostgresOnly>;
  return db === undefined
    ? store?.connections.lend(({ sql }) => sql.value<object, number>(text)(pair))
    : db.prepare(text).pluck().get(pair);
}
