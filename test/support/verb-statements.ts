import type { Sql } from '../../src/store/sql.ts';
import { assembleVerbs } from '../../src/store/verbs/assembly.ts';
import { auditor } from '../../src/store/verbs/audit.ts';
import { importSweep } from '../../src/store/verbs/devices/imports.ts';
import { listsOneByOne } from '../../src/store/verbs/events/event-pages.ts';
import { rights } from '../../src/store/verbs/people/rights.ts';
import { advice } from '../../src/store/verbs/suggestions.ts';
import { someSettings } from './store.ts';

/** All that verbs, and what goes with each call, may ask the database. */
export function verbStatements(): readonly string[] {
  const texts = new Set<string>();
  const declare = (text: string) => {
    texts.add(text);
    return () => {
      throw new Error('nothing is executed here');
    };
  };
  const sql: Sql = {
    get: declare,
    all: declare,
    parts: declare,
    value: declare,
    values: declare,
    run: declare,
    insert: declare,
  };
  const part = () => {
    throw new Error('nothing is carried out here');
  };
  const staged = { add: part, next: part, removeUpTo: part, remove: part };
  const imports = { staged, stepMs: 0, registerNew: () => new Map<number, number>(), subscribeAll: part };
  const lists = listsOneByOne(sql);
  const events = { acceptEvent: part, postOwn: part };
  const deps = { imports, lists, ...events, waitingByRoute: part, cleanUp: part, knowsTimezone: part };
  assembleVerbs(sql, someSettings(), deps);
  importSweep(sql, imports);
  rights(sql, part);
  auditor(sql);
  advice(sql);
  return [...texts];
}
