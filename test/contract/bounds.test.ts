import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { readSchema } from '../../src/contract/schemas.ts';

interface Value {
  readonly type?: string | readonly [string, 'null'];
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Value;
  readonly properties?: Readonly<Record<string, Value>>;
  readonly maxProperties?: number;
  readonly additionalProperties?: Value | false;
  /** Refused, whatever it is. */
  readonly not?: object;
}

const ASKED = OPERATIONS.flatMap(({ body, query }) => [body, query?.schema]).filter((schema) => schema !== undefined);

/** Returns the unbounded parts of a value. */
function endless({ type: typeOrNull, $ref, ...value }: Value, name: string): readonly string[] {
  const type = typeof typeOrNull === 'string' ? typeOrNull : typeOrNull?.[0];
  if (value.enum !== undefined || value.not !== undefined || type === 'boolean') return [];
  // The one definition that fields refer to is of a text.
  if (type === 'string' || $ref === '#/$defs/text') return value.maxLength === undefined ? [name] : [];
  if (type === 'integer') return value.minimum === undefined || value.maximum === undefined ? [name] : [];
  if (type === 'array')
    return [...(value.maxItems === undefined ? [name] : []), ...endless(value.items ?? {}, `${name}[]`)];
  if (value.additionalProperties)
    return [...(value.maxProperties === undefined ? [name] : []), ...endless(value.additionalProperties, `${name}{}`)];
  if (value.properties !== undefined) {
    return Object.entries(value.properties).flatMap(([inner, property]) => endless(property, `${name}.${inner}`));
  }
  return [`${name}, of which nothing is known`];
}

test('every text, number and list that a request may bring has an end in its schema', () => {
  assert.ok(ASKED.length > 10);
  for (const schema of new Set(ASKED)) {
    const properties = Object.entries(readSchema(schema).properties as Record<string, Value>);
    assert.equal(
      properties.flatMap(([name, value]) => endless(value, name)),
      [],
      schema,
    );
  }
});

test.run();
