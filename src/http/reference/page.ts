import { answerKept, type Kept, keep } from '../kept.ts';
import type { Handler } from '../request-state.ts';
import { type Described, describe } from '../routes/service.ts';
import type { WebFiles } from '../web/files.ts';
import { WEB_HEADERS } from '../web/routes.ts';
import { about, type FieldSchema, fieldList, type Html, html, prose, type Schemas, term } from './fields.ts';

const STYLES = /^\/assets\/reference-.*\.css$/;

/** Answers GET /docs, made and compressed at the first request. */
export function referenceRoute(config: Described, files: WebFiles): Handler {
  let made: Kept | undefined;
  return (context) => {
    const styles = [...files.keys()].filter((address) => STYLES.test(address));
    made ??= keep(referencePage(describe(config) as unknown as Reference, styles));
    const { headers, ...answer } = answerKept(context, made);
    const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Language': 'en' };
    return { ...answer, headers: { ...WEB_HEADERS, ...headers, ...page } };
  };
}

interface Reference {
  readonly info: { readonly title: string; readonly summary: string; readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Schemas; readonly responses: Readonly<Record<string, Response>> };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: FieldSchema;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

type Content = Readonly<Record<string, Media>>;

interface Media {
  readonly schema: FieldSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Listed {
  readonly method: string;
  readonly address: string;
  readonly operation: Operation;
}

/** The description for programs. */
const DOCUMENT = '/api/openapi.json';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Makes the API reference, without scripts. */
export function referencePage(reference: Reference, styles: readonly string[]): string {
  const { info, servers, tags } = reference;
  const operations = operationsOf(reference);
  const groups = tags.map((tag) => ({
    ...tag,
    listed: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const rules = info.description.split(/^- /m).filter((rule) => rule.trim() !== '');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
${styles.map((address) => html`<link rel="stylesheet" href="${address}">`)}
</head>
<body>
<a class="skip" href="#top">Skip the list of operations</a>
<nav aria-label="Operations">${groups.map(contentsOf)}</nav>
<main id="top">
<h1>${info.title}</h1>
<p>${info.summary}</p>
<p>Address: <code>${servers[0].url}</code>. For programs and generators: <a href="${DOCUMENT}">openapi.json</a>.</p>
<ul>${rules.map((rule) => html`<li>${prose(rule.trim())}</li>`)}</ul>
${groups.map(
  ({ name, description, listed }) => html`<h2 id="${anchorOf(name)}">${name}</h2>
<p>${prose(description)}</p>
${listed.map((operation) => sectionOf(operation, reference))}`,
)}
</main>
</body>
</html>
`.text;
}

function operationsOf({ paths, servers }: Reference): readonly Listed[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const [server] = (item.servers as Reference['servers'] | undefined) ?? servers;
    const address = pathOf(server.url) + path;
    return METHODS.filter((method) => method in item).map((method) => ({
      method: method.toUpperCase(),
      address,
      operation: item[method] as Operation,
    }));
  });
}

/** Returns an address's path, even without a host. */
function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname.replace(/\/$/, '');
}

function anchorOf(name: string): string {
  return `group-${name.toLowerCase()}`;
}

function contentsOf({ name, listed }: { readonly name: string; readonly listed: readonly Listed[] }): Html {
  const links = listed.map(
    ({ method, operation }) =>
      html`<li><a href="#${operation.operationId}">${operation.summary} <span class="method">${method}</span></a></li>`,
  );
  return html`<details><summary>${name}</summary><ul>${links}</ul></details>`;
}

function sectionOf({ method, address, operation }: Listed, { components }: Reference): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, response]) => [status, whole(response, components)] as const);
  const [good, errors] = [answers.filter(([status]) => status < '400'), answers.filter(([status]) => status >= '400')];
  return html`<section id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="address"><span class="method">${method}</span> <code>${address}</code></p>
<p>${prose(description)}</p>
${parameters.length === 0 ? null : html`<h4>Parameters</h4><dl>${parameters.map((parameter) => parameterOf(parameter, components.schemas))}</dl>`}
${requestBody === undefined ? null : html`<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${contentOf(requestBody.content, components.schemas)}`}
<h4>Responses</h4>
${good.map(([status, response]) => answerOf(status, response, components.schemas))}
<details><summary>Errors: ${errors.map(([status]) => status).join(', ')}</summary><dl>${errors.map(errorOf)}</dl></details>
</section>
`;
}

function whole(response: Response | { readonly $ref: string }, components: Reference['components']): Response {
  if (!('$ref' in response)) return response;
  return components.responses[response.$ref.slice('#/components/responses/'.length)] ?? { description: '' };
}

function parameterOf({ name, in: place, required, description, schema }: Parameter, schemas: Schemas): Html {
  const head = term(name, schema, required, schemas, `, ${place}`);
  return html`${head}<dd>${about(schema, schemas, description)}</dd>`;
}

function answerOf(status: string, { description, headers = {}, content = {} }: Response, schemas: Schemas): Html {
  const names = Object.keys(headers).map((name) => `\`${name}\``);
  return html`<details><summary><code>${status}</code> ${prose(description)}</summary>${contentOf(content, schemas)}${
    names.length === 0 ? null : html`<p>${prose(`Headers: ${names.join(', ')}`)}</p>`
  }</details>`;
}

function errorOf([status, { description }]: readonly [string, Response]): Html {
  return html`<dt><code>${status}</code></dt><dd><p>${prose(description)}</p></dd>`;
}

function contentOf(content: Content, schemas: Schemas): readonly Html[] {
  return Object.entries(content).map(([type, media]) => {
    const format = type === 'application/json' ? null : html`<p><code>${type}</code></p>`;
    return html`${format}${about(media.schema, schemas)}${fieldList(media.schema, schemas)}${examplesOf(media)}`;
  });
}

function examplesOf({ example, examples = {} }: Media): readonly Html[] {
  const values = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
  return values.map(
    (value) =>
      html`<p class="bounds">Example</p><pre>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>`,
  );
}
