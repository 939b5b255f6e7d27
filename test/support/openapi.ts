import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/contract/openapi.ts';

interface Response {
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
}
interface Header {
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Record<string, Response> }>>>>;
  readonly components: { readonly headers: Readonly<Record<string, Header>> };
}

export interface Checked {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const document = openApiDocument('/api') as unknown as Document;
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ ...document, $id: 'api' });

/** Throws where an answer is not as the API's own description says. */
export function checkAnswer(method: string, path: string, answer: Checked): void {
  const where = `${method} ${path} ${answer.status}`;
  const template = templateOf(path);
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
  if (operation === undefined) {
    checkUnlisted(where, answer);
    return;
  }
  const response = operation.responses[answer.status];
  if (response === undefined) throw new Error(`${where} is not described: ${JSON.stringify(answer.body)}`);
  const schema = response.content?.['application/json'].schema;
  if (schema !== undefined) check(where, validatorOf(schema.$ref), answer.body);
  else if (answer.headers['content-type'] !== undefined) throw new Error(`${where} has a body`);
  for (const [name, { $ref }] of Object.entries(response.headers)) checkHeader(where, name, $ref, answer.headers);
}

function templateOf(path: string): string | undefined {
  const pathname = path.replace(/[?#].*$/, '').replace(/^\/api\//, '/');
  return Object.keys(document.paths).find((template) => {
    return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
  });
}

/** What is no operation is answered 404, 405, or 400 where the request was broken altogether. */
function checkUnlisted(where: string, { status, body, headers }: Checked): void {
  check(where, validatorOf(`#/components/schemas/${status === 404 ? 'not-found' : 'error'}`), body);
  if (status === 405 && headers.allow === undefined) throw new Error(`${where} without Allow`);
  if (headers['x-request-id'] === undefined) throw new Error(`${where} without X-Request-Id`);
}

function checkHeader(where: string, name: string, reference: string, headers: IncomingHttpHeaders): void {
  const header = document.components.headers[reference.split('/').at(-1) ?? ''];
  const value = headers[name.toLowerCase()];
  if (value === undefined && header?.required) throw new Error(`${where} without ${name}`);
  if (value === undefined) return;
  const typed = header?.schema.type === 'integer' ? Number(value) : value;
  check(`${where} ${name}`, validatorOf(`${reference}/schema`), typed);
}

function validatorOf(reference: string): ValidateFunction {
  return ajv.compile({ $ref: `api${reference}` });
}

function check(where: string, validate: ValidateFunction, value: unknown): void {
  if (!validate(value)) throw new Error(`${where}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
}
