import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { paramsOf, type SentenceCode } from '../../src/contract/details.ts';
import { API_ERRORS } from '../../src/contract/errors.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema, type Schema } from '../../src/contract/schemas.ts';
import { PROGRAM_SENTENCES, SENTENCES } from '../../src/contract/sentences.ts';
import { isJsonObject } from '../../src/values/json.ts';

const CODES = [...Object.keys(API_ERRORS), ...Object.keys(SENTENCES), ...Object.keys(PROGRAM_SENTENCES)];
const BOUNDS = {
  least: ['minimum', 'minLength'],
  most: ['maximum', 'maxLength', 'maxItems', 'maxProperties'],
  values: ['enum'],
};

/** Returns all parts of a schema with `x-problem`, and their codes. */
function named(schema: unknown): readonly (readonly [code: string, part: Schema])[] {
  if (!isJsonObject(schema)) return [];
  const { 'x-problem': own, ...parts } = schema;
  const codes = typeof own === 'string' ? [own] : Object.values((own ?? {}) as Record<string, string>);
  return [...codes.map((code) => [code, schema] as const), ...Object.values(parts).flatMap(named)];
}

test('No two errors have the same code', () => {
  assert.equal(
    CODES.filter((code, place) => CODES.indexOf(code) !== place),
    [],
  );
});

test('A schema names sentences that exist, and has their values', () => {
  const schemas = new Set(OPERATIONS.flatMap(({ body, query }) => [body ?? [], query?.schema ?? []].flat()));
  const all = [...schemas].flatMap((name) => named(readSchema(name)).map(([code, part]) => ({ name, code, part })));
  assert.ok(all.length > 50, String(all.length));
  for (const { name, code, part } of all) {
    assert.ok(CODES.includes(code), `${name}: ${code}`);
    for (const value of paramsOf(code as SentenceCode).filter((param) => param !== 'field')) {
      const bounds = BOUNDS[value as keyof typeof BOUNDS] ?? [];
      assert.ok(
        bounds.some((bound) => part[bound] !== undefined),
        `${name}: ${code} needs ${value}`,
      );
    }
  }
});

test.run();
