import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { readSchema } from '../../src/contract/schemas.ts';

test('the description of the API is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(openApiDocument('https://push.example.com/api')));
  assert.ok(result.valid, JSON.stringify(result.errors));
});

test('every reference in it leads somewhere', () => {
  const document = openApiDocument('/api');
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  for (const [, path = ''] of references) {
    let node: unknown = document;
    for (const key of path.split('/')) node = (node as Record<string, unknown>)[key];
    assert.type(node, 'object', path);
  }
});

test('the health routes stand beside the base address', () => {
  const paths = openApiDocument('https://push.example.com/api').paths as Record<string, { servers?: unknown }>;
  assert.equal(paths['/healthz']?.servers, [{ url: 'https://push.example.com' }]);
  assert.is(paths['/v1/events']?.servers, undefined);
});

test('every example of a schema is valid', () => {
  const components = openApiDocument('/api').components as { schemas: Record<string, { examples?: unknown[] }> };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', components });
  for (const [name, { examples = [] }] of Object.entries(components.schemas)) {
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    for (const example of examples) assert.ok(validate(example), `${name}: ${JSON.stringify(validate.errors)}`);
    if (name !== 'openapi') assert.is(readSchema(name).$id, `${name}.json`);
  }
});

test.run();
