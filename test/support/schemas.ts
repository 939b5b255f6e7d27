import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** A check against one of the schemas in `schemas/`, that says what is wrong: null where nothing is. */
export function schemaCheck(name: string): { check(value: unknown): string | null; examples: readonly unknown[] } {
  const schema = JSON.parse(readFileSync(new URL(`../../../schemas/${name}.json`, import.meta.url), 'utf8'));
  const ajv = new Ajv2020({ allErrors: true });
  const validate = ajv.compile(schema);
  return {
    check: (value) => (validate(value) ? null : ajv.errorsText(validate.errors)),
    examples: schema.examples,
  };
}
