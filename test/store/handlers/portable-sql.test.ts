import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handlerStatements } from '../../support/handler-statements.ts';
import { temporaryStore } from '../../support/store.ts';

const test = suite('portable SQL');

/** What SQLite understands and PostgreSQL does not, or otherwise. */
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

test('words that are not portable are found', () => {
  const samples = {
    'a conflict without its target': 'INSERT INTO t (a) VALUES (:a) ON CONFLICT DO NOTHING',
    'a function of SQLite': 'SELECT json_group_array(a) FROM t',
    'min or max of several values': 'UPDATE t SET a = max(coalesce(a, 0), :a)',
    'IS between values: IS NOT DISTINCT FROM': 'SELECT 1 FROM t WHERE a IS :a',
    'DELETE or UPDATE with LIMIT': 'DELETE FROM t WHERE a = :a LIMIT 5',
    'a parameter that may be NULL without its type: CAST': 'SELECT 1 FROM t WHERE :a IS NULL OR a = :a',
    'what is true as a column: CASE': `SELECT a = 'x' AS "isX" FROM t`,
    'capitals in a name without quotes': 'SELECT a AS isX FROM t',
    'text in double quotes': 'SELECT 1 FROM t WHERE a = "x"',
    'the keyword user': 'SELECT user.name FROM user',
  };
  for (const [fault, sample] of Object.entries(samples)) assert.match(sample, NOT_PORTABLE[fault] ?? 'no such fault');
});

test.run();
