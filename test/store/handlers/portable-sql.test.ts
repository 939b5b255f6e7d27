import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { handlerStatements } from '../../support/handler-statements.ts';
import { temporaryStore } from '../../support/store.ts';

/** Words that SQLite understands and PostgreSQL does not, or otherwise. */
const NOT_PORTABLE: Readonly<Record<string, RegExp>> = {
  'a parameter by place': /\?/,
  'a conflict without its target': /\bON CONFLICT DO\b/i,
  'INSERT OR, UPDATE OR, REPLACE': /\b(?:(?:INSERT|UPDATE) OR|REPLACE INTO)\b/i,
  'a function of SQLite':
    /\b(?:json_\w+|group_concat|iif|ifnull|unixepoch|strftime|datetime|printf|hex|char|glob)\s*\(/i,
  'min or max of several values': /\b(?:min|max)\((?:[^()]|\([^()]*\))*,/i,
  'a rowid, an index by name, or a table of SQLite': /\browid\b|\bINDEXED BY\b|\bsqlite_/i,
  'IS between values: IS NOT DISTINCT FROM': /\bIS (?:NOT )?(?!NOT |NULL\b|DISTINCT\b)/i,
  'DELETE or UPDATE with LIMIT': /^\s*(?:DELETE|UPDATE)\b[^(]*\bLIMIT\b/i,
  'LIMIT -1': /\bLIMIT -/i,
  'a parameter that may be NULL without its type: CAST': /:\w+ IS (?:NOT )?NULL/i,
  'a condition that is optional at run time: ifGiven': /CAST\(:\w+ AS \w+\) IS NULL\s+OR\b/i,
  'what is true as a column: CASE': /(?:= '\w*'|\bNULL) AS\b/i,
  'capitals in a name without quotes': /\bAS [a-z]+[A-Z]/,
  'text in double quotes': /[=,(] *"/,
  'a parameter behind +': /\+:/,
  'the keyword user': /\buser\b(?!_)/i,
};

test('every statement of the handlers is written in words that PostgreSQL knows as well', () => {
  const texts = handlerStatements();
  assert.ok(texts.length > 100);
  const faults = texts.flatMap((text) =>
    Object.entries(NOT_PORTABLE).flatMap(([fault, words]) => (words.test(text) ? `${fault}: ${text}` : [])),
  );
  assert.equal(faults, []);
});

test('SQLite compiles every statement of the handlers', async () => {
  const { db } = await temporaryStore();
  for (const text of handlerStatements()) assert.not.throws(() => db.prepare(text), text);
});

test.run();
