import { sharedHandlers } from '../../src/store/handlers/assembly.ts';
import { auditor } from '../../src/store/handlers/audit.ts';
import { importSweep } from '../../src/store/handlers/devices/imports.ts';
import { listsOneByOne } from '../../src/store/handlers/events/event-pages.ts';
import { rights } from '../../src/store/handlers/people/rights.ts';
import { advice } from '../../src/store/handlers/suggestions.ts';
import { type Sql, withConditions } from '../../src/store/sql.ts';
import { someSettings } from './store.ts';

/** All that handlers, and what goes with each call, may ask the database: with all optional conditions, and with none. */
export function handlerStatements(): readonly string[] {
  const texts = new Set<string>();
  const declare = (text: string) => {
    texts.add(withConditions(text, () => true));
    texts.add(withConditions(text, () => false));
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
  const staged = { add: part, next: part, replace: part, removeUpTo: part, remove: part };
  const imports = {
    staged,
    stepMs: 0,
    changedAmong: part,
    registerNew: () => new Map<number, number>(),
    subscribeAll: part,
    muteAll: part,
  };
  const lists = listsOneByOne(sql);
  const events = { acceptEvent: part, testDevice: part, postOwn: part };
  const deps = { imports, lists, ...events, waitingByRoute: part, cleanUp: part, nodeOf: () => 0 };
  sharedHandlers(sql, someSettings(), deps);
  importSweep(sql, imports);
  rights(sql, part);
  auditor(sql);
  advice(sql);
  return [...texts];
}
