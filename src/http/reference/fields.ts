export interface FieldSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

export type Schemas = Readonly<Record<string, FieldSchema>>;

const SCHEMAS = '#/components/schemas/';

/** Lists an object's fields, inner objects folded; null: none. */
export function fieldList(schema: FieldSchema, schemas: Schemas, parents: readonly FieldSchema[] = []): Html | null {
  const object = objectIn(schema, schemas);
  if (object === null || parents.includes(object)) return null;
  const within = [...parents, object];
  const fields = Object.entries(object.properties ?? {}).map(([name, field]) => {
    const inner = fieldList(field, schemas, within);
    return html`${term(name, field, object.required?.includes(name) ?? false, schemas)}<dd>${about(field, schemas)}${
      inner && html`<details><summary>Fields of <code>${name}</code></summary>${inner}</details>`
    }</dd>`;
  });
  return html`<dl>${fields}</dl>`;
}

/** Names a field or parameter with type. `place`: a parameter's. */
export function term(name: string, schema: FieldSchema, isRequired: boolean, schemas: Schemas, place = ''): Html {
  const required = isRequired ? html` <span class="required">required</span>` : null;
  return html`<dt><code>${name}</code> <span class="type">${typeOf(schema, schemas)}${place}</span>${required}</dt>`;
}

/** Describes a field's meaning and values. */
export function about(schema: FieldSchema, schemas: Schemas, description = schema.description): Html {
  const resolved = resolve(schema, schemas);
  const text = description ?? resolved.description;
  const bounds = boundsOf(resolved);
  return html`${text === undefined ? null : html`<p>${prose(text)}</p>`}${
    bounds.length === 0 ? null : html`<p class="bounds">${prose(bounds.join(', '))}</p>`
  }`;
}

/** Returns a field's object: itself, a list's item, or the non-null value. */
function objectIn(schema: FieldSchema, schemas: Schemas): FieldSchema | null {
  const resolved = resolve(schema, schemas);
  if (resolved.properties !== undefined) return resolved;
  const inner = resolved.items ?? resolved.anyOf?.find((choice) => objectIn(choice, schemas) !== null);
  return inner === undefined ? null : objectIn(inner, schemas);
}

function resolve(schema: FieldSchema, schemas: Schemas): FieldSchema {
  return schema.$ref === undefined ? schema : (schemas[schema.$ref.slice(SCHEMAS.length)] ?? {});
}

function typeOf(schema: FieldSchema, schemas: Schemas): string {
  const { type, anyOf, items, format } = resolve(schema, schemas);
  if (anyOf !== undefined) return [...new Set(anyOf.map((choice) => typeOf(choice, schemas)))].join(' or ');
  if (items !== undefined) return `array of ${typeOf(items, schemas)}`;
  const types = type === undefined ? 'any value' : [type].flat().join(' or ');
  return format === undefined ? types : `${types} (${format})`;
}

function boundsOf({
  minimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  maxItems,
  maxProperties,
  pattern,
  ...schema
}: FieldSchema) {
  const listed = schema.enum ?? schema.items?.enum ?? (schema.const === undefined ? [] : [schema.const]);
  return [
    listed.length > 0 && `one of ${listed.map((value) => `\`${String(value)}\``).join(', ')}`,
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    minLength !== undefined && `at least ${counted(minLength, 'character')}`,
    maxLength !== undefined && `at most ${counted(maxLength, 'character')}`,
    minItems !== undefined && `at least ${counted(minItems, 'item')}`,
    maxItems !== undefined && `at most ${counted(maxItems, 'item')}`,
    maxProperties !== undefined && `at most ${counted(maxProperties, 'field')}`,
    pattern !== undefined && `pattern \`${pattern}\``,
  ].filter((bound) => bound !== false);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** HTML that is not escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Part[];

/** Makes HTML. Escapes all values but HTML, joins lists, omits null. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, i) => text + (i < parts.length ? textOf(parts[i] as Part) : '')).join(''));
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Makes HTML of Markdown's backticks, all our descriptions use. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
