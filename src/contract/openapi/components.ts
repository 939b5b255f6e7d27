import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../values/json.ts';
import { readSchema, type Schema } from '../schemas.ts';

type Reference = { readonly $ref: string };

/**
 * Adapts `schemas/` to OpenAPI: without our keywords, in forms common generators and validators understand. One word,
 * the schema's title, names a component.
 */
export class Components {
  readonly schemas: Record<string, Schema> = {};
  readonly #files = new Map<string, Schema>();
  /** The schema that each component was made from. */
  readonly #sources = new Map<string, Schema>();
  /** Shows alternatives as one object with all fields, streams as text. */
  readonly isFlat: boolean;

  constructor({ isFlat }: { readonly isFlat: boolean }) {
    this.isFlat = isFlat;
  }

  /** Returns a reference and adds the schema with its references. */
  referTo(name: string): Reference {
    return this.#component(this.#file(name));
  }

  /** Returns JSON of a schema, with the schema's `examples` by default. */
  mediaType(name: string, examples = this.#read(name).examples as readonly unknown[]): object {
    const named = examples.map((value, index) => [`Example ${index + 1}`, { value }]);
    return {
      schema: this.referTo(name),
      ...(examples.length === 1 ? { example: examples[0] } : { examples: Object.fromEntries(named) }),
    };
  }

  streamOf(name: string): object {
    const { examples = [], ...schema } = this.#read(name) as { examples?: readonly unknown[] };
    const events = examples.map((data, index) => `id: ${index + 1}\nevent: change\ndata: ${JSON.stringify(data)}\n\n`);
    return { schema: { type: 'string', description: fieldsInWords(schema) }, example: events.join('') };
  }

  add(name: string, schema: Schema): Reference {
    this.schemas[name] = schema;
    return referenceTo(name);
  }

  property(name: string, property: string): Schema {
    const file = this.#read(name);
    const schema = (file.properties as Record<string, Schema>)[property];
    if (schema === undefined) throw new Error(`schemas/${name}.json has no property ${property}`);
    return this.#shown(schema, file);
  }

  #read(name: string): Schema {
    const schema = this.#files.get(name) ?? readSchema(name);
    this.#files.set(name, schema);
    return schema;
  }

  #file(name: string): Target {
    const schema = this.#read(name);
    return { name: inOneWord(String(schema.title)), schema, file: schema };
  }

  #target(reference: string, file: Schema): Target {
    if (!reference.startsWith('#/$defs/')) return this.#file(reference.slice(0, -'.json'.length));
    const definition = reference.slice('#/$defs/'.length);
    const { [definition]: schema } = file.$defs as Record<string, Schema>;
    if (schema === undefined) throw new Error(`schemas/${file.$id} has no ${reference}`);
    return { name: inOneWord(definition), schema, file };
  }

  #component({ name, schema, file }: Target): Reference {
    const source = this.#sources.get(name);
    if (source !== schema) {
      this.#sources.set(name, schema);
      const shown = this.isFlat ? this.#flat(name, this.#shown(schema, file)) : this.#shown(schema, file);
      if (source !== undefined && !isDeepStrictEqual(this.schemas[name], shown)) {
        throw new Error(`two schemas have the name ${name}`);
      }
      this.schemas[name] = shown;
    }
    return referenceTo(name);
  }

  #flat(component: string, { oneOf, ...schema }: Schema): Schema {
    if (oneOf === undefined) return schema;
    const resolve = (part: Schema) => this.schemas[String(part.$ref).split('/').at(-1) ?? ''] ?? part;
    const name = (part: Schema, field: string) => this.add(component + inOneWord(field), part);
    return { ...schema, ...flattened(oneOf as Schema[], resolve, name) };
  }

  #shown(schema: Schema, file: Schema): Schema {
    const { $ref, ...others } = schema;
    const rest = Object.fromEntries(
      Object.entries(others)
        .filter(([keyword]) => isShown(keyword, others))
        .map(([keyword, value]) => [keyword, this.#keyword(keyword, value, file)]),
    );
    if (typeof $ref !== 'string') return rest;
    const target = this.#target($ref, file);
    if (Object.keys(rest).length === 0) return this.#component(target);
    return merged(this.#shown(target.schema, target.file), rest);
  }

  #keyword(keyword: string, value: unknown, file: Schema): unknown {
    const shown = (schema: unknown): unknown => (isJsonObject(schema) ? this.#shown(schema, file) : schema);
    switch (keyword) {
      case 'format':
        return PUBLIC_FORMATS[String(value)] ?? value;
      case 'properties': {
        const taken = Object.entries(value as Record<string, Schema>).filter(([, schema]) => !isRefused(schema));
        return Object.fromEntries(taken.map(([name, schema]) => [name, shown(withDefaultInWords(schema))]));
      }
      case 'items':
      case 'additionalProperties':
      case 'not':
      case 'if':
      case 'then':
      case 'else':
        return shown(value);
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return (value as Schema[]).map(shown);
      default:
        return value;
    }
  }
}

interface Target {
  readonly name: string;
  readonly schema: Schema;
  /** The file's whole schema. */
  readonly file: Schema;
}

/**
 * Decides whether the document shows a keyword.
 * - `examples` stand beside requests and answers.
 * - Answers closed in `schemas/` (for tests) are open here: they may gain fields, and some clients refuse unknown ones.
 * - Go's generators cannot compile a `pattern` beside a format, nor Java's `uniqueItems` of enumerated values. Python's
 *   and Rust's read a boolean's only value as a string. Our text states such rules instead.
 */
function isShown(keyword: string, schema: Schema): boolean {
  switch (keyword) {
    case '$schema':
    case '$id':
    case '$comment':
    case '$defs':
    case 'x-problem':
    case 'examples':
    case 'uniqueItems':
      return false;
    case 'additionalProperties':
      return schema[keyword] !== false;
    case 'enum':
    case 'const':
      return schema.type !== 'boolean';
    case 'pattern':
      return schema.format === undefined && !NOT_PORTABLE.test(String(schema[keyword]));
    default:
      return true;
  }
}

/** Unicode classes need a flag in JavaScript and fail in Python; look-around and named groups are not portable. */
const NOT_PORTABLE = /\\[pPuk]|\(\?[^:]/;

/** Our own formats (fields.ts), and the standard ones that come nearest. */
const PUBLIC_FORMATS: Readonly<Record<string, string>> = {
  'https-url': 'uri',
  'link-url': 'uri',
  rfc3339: 'date-time',
  timestamp: 'date-time',
};

/** Detects fields without allowed values, which exist for error messages. */
function isRefused({ not }: Schema): boolean {
  return isDeepStrictEqual(not, {});
}

/** Replaces a reference by its target, as many generators ignore keywords beside it. Both must agree. */
function merged({ title: _, description, ...target }: Schema, own: Schema): Schema {
  const undone = Object.keys(target).find((keyword) => own[keyword] !== undefined);
  if (undone !== undefined) throw new Error(`${undone} stands beside a reference to another ${undone}`);
  return { ...(description !== undefined && { description }), ...target, ...own };
}

/** Puts the default into words: Go clients send it beside excluding fields, and TypeScript requires the field. */
export function withDefaultInWords({ default: value, ...schema }: Schema): Schema {
  if (value === undefined) return schema;
  const description = schema.description === undefined ? '' : `${schema.description} `;
  return { ...schema, description: `${description}Default: \`${value}\`.` };
}

function fieldsInWords({ description, properties = {} }: Schema): string {
  const fields = Object.entries(properties as Record<string, Schema>).map(([name, schema]) => {
    const words = (schema.enum as readonly string[] | undefined)?.map((word) => `\`${word}\``).join(', ');
    return `- \`${name}\`: ${[schema.description, words].filter((text) => text !== undefined).join(' ')}`;
  });
  return `${description}\n\nThe \`data\` of an event is JSON:\n\n${fields.join('\n')}`;
}

function referenceTo(name: string): Reference {
  return { $ref: `#/components/schemas/${name}` };
}

/** `API key` → `ApiKey`. */
function inOneWord(title: string): string {
  const words = title.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('');
}

/** Returns the shared schema of a reference; other schemas unchanged. */
type Resolve = (schema: Schema) => Schema;
/** Returns a reference to a merged object, named for generated clients. */
type Name = (schema: Schema, field: string) => Schema;

/**
 * Returns one schema with all fields; required are those required by all. Generated clients guess at `oneOf`, and fail
 * if two or none fit.
 */
function flattened(alternatives: readonly Schema[], resolve: Resolve, name: Name): Schema {
  return alternatives.map(resolve).reduce((first, second) => mergedObjects(first, second, resolve, name));
}

type Properties = Readonly<Record<string, Schema>>;

function mergedObjects(first: Schema, second: Schema, resolve: Resolve, name: Name): Schema {
  if (first.type !== 'object' || second.type !== 'object') throw new Error('only objects can be made one');
  const [mine, theirs] = [first.properties as Properties, second.properties as Properties];
  const properties = Object.fromEntries(
    Object.keys({ ...mine, ...theirs }).map((field) => {
      const [a, b] = [mine[field], theirs[field]];
      return [field, a && b ? mergedFields(a, b, field, resolve, name) : (a ?? b)];
    }),
  );
  const required = ((first.required ?? []) as string[]).filter((field) =>
    ((second.required ?? []) as string[]).includes(field),
  );
  return { type: 'object', ...(required.length > 0 && { required }), properties };
}

function mergedFields(first: Schema, second: Schema, field: string, resolve: Resolve, name: Name): Schema {
  if (isDeepStrictEqual(first, second)) return first;
  const [a, b] = [resolve(first), resolve(second)];
  if (a.type === 'object' && b.type === 'object') return name(mergedObjects(a, b, resolve, name), field);
  const nullable = [first, second].find(({ anyOf }) => Array.isArray(anyOf));
  if (nullable !== undefined) return nullable;
  const types = [...new Set([a.type, b.type].flat())];
  const common = Object.keys(a).filter((keyword) => isDeepStrictEqual(a[keyword], b[keyword]));
  const description = a.description ?? b.description;
  return {
    ...(description !== undefined && { description }),
    ...Object.fromEntries(common.map((keyword) => [keyword, a[keyword]])),
    type: types.length === 1 ? types[0] : types,
  };
}
