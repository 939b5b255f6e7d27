import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { readSchema } from '../../src/contract/schemas.ts';
import { publicIdOf } from '../../src/public-id.ts';

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

test('every schema in it has an example, and each example is valid', () => {
  const { schemas } = openApiDocument('/api').components as Components;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', components: { schemas } });
  for (const [name, { examples = [] }] of Object.entries(schemas)) {
    assert.ok(examples.length > 0, `${name} has none`);
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    for (const example of examples) assert.ok(validate(example), `${name}: ${JSON.stringify(validate.errors)}`);
    assert.is(readSchema(name).$id, `${name}.json`);
  }
});

test('the identifiers of an event in an example are written forms of one another', () => {
  const { schemas } = openApiDocument('/api').components as Components;
  const pairs = JSON.stringify(Object.values(schemas).flatMap(({ examples = [] }) => examples)).matchAll(
    /"public_id":"(\w+)","event_uuid":"([\w-]+)"/g,
  );
  for (const [, publicId = '', uuid = ''] of pairs) assert.is(publicId, publicIdOf(uuid));
});

test.run();

interface Components {
  readonly schemas: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
}
