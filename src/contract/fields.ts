import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { camelCase, isJsonObject } from '../values/json.ts';
import { fromRfc3339, fromTimestamp } from '../values/timestamp.ts';
import type { ApiSchema } from './api-types.ts';
import { givenFieldsOf } from './given-fields.ts';
import type { FieldProblem } from './names.ts';
import { readSchema, type Schema } from './schemas.ts';
import { isAbsoluteUrl, wrongCharacter } from './urls.ts';

/** The body of a 422: full sentences for all wrong fields; the first is the summary. */
export type InvalidFields = ApiSchema<'InvalidFields'>;

type Body = Readonly<Record<string, unknown>>;

export interface FieldCheckOptions {
  /** Link schemes besides `http` and `https`. */
  readonly urlSchemes?: readonly string[] | undefined;
  /** Rules beyond the schema, for valid fields. */
  readonly rules?: (body: Body) => readonly FieldProblem[];
}

export interface BodyCheckOptions extends FieldCheckOptions {
  /** A PATCH, in which null and blanks are values. */
  readonly isChange?: boolean;
}

export interface CheckedBody {
  readonly fields: Body;
  readonly problem: InvalidFields | null;
}

/** Returns the check of a body against `schemas/`. `otherwise`: values of absent fields. `extra`: further problems. */
export function bodyCheck(
  schemaName: string,
  { isChange = false, ...options }: BodyCheckOptions = {},
): (body: Body, otherwise?: Body | null, extra?: (fields: Body) => readonly FieldProblem[]) => CheckedBody {
  const check = fieldCheck(schemaName, options);
  const givenIn = givenFieldsOf(readSchema(schemaName), isChange);
  return (body, otherwise, extra = noRules) => {
    const given = givenIn(body);
    const fields = otherwise ? { ...otherwise, ...given } : given;
    return { fields, problem: check(fields, extra(fields)) };
  };
}

/**
 * Returns a query's or body's check, which returns the problems or null. `extra`: further problems. Compiles at the
 * first check, so starts need not wait.
 */
export function fieldCheck(
  schemaName: string,
  { urlSchemes = [], rules = noRules }: FieldCheckOptions = {},
): (body: Body, extra?: readonly FieldProblem[]) => InvalidFields | null {
  const schemes = ['http', 'https', ...urlSchemes.map((scheme) => scheme.toLowerCase())];
  const schema = readSchema(schemaName);
  const order = fieldsIn(schema);
  const bounded = listBounds(schema);
  let validate: ValidateFunction | undefined;
  return (body, extra = []) => {
    validate ??= compiled(schemaName, schema, schemes);
    const problems = validate(bounded(body)) ? [] : (validate.errors ?? []);
    const byRules = [...rules(body), ...extra];
    return problems.length + byRules.length === 0 ? null : invalidFields(problems, byRules, order, schemes);
  };
}

/** Compiles the extraction of a schema's fields by camelCase names. `T`: what the schema allows. */
export function fieldPicker<T>(schemaName: string): (body: Body) => T {
  const fields = Object.keys(readSchema(schemaName).properties as object).map(
    (name) => [name, camelCase(name)] as const,
  );
  return (body) =>
    Object.fromEntries(fields.flatMap(([name, as]) => (Object.hasOwn(body, name) ? [[as, body[name]]] : []))) as T;
}

/** Validators by link schemes. All schemas share them: making one takes longer than compiling a schema. */
const VALIDATORS = new Map<string, Ajv2020>();

/** Compiles each schema once for all routes. */
function compiled(name: string, schema: Schema, schemes: readonly string[]): ValidateFunction {
  const key = schemes.join();
  const ajv = VALIDATORS.get(key) ?? newValidator(schemes);
  VALIDATORS.set(key, ajv);
  return ajv.getSchema(name) ?? ajv.addSchema(schema, name).compile(schema);
}

function newValidator(schemes: readonly string[]): Ajv2020 {
  // A test compares our schemas with the meta-schema, which takes 20 ms to compile.
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strictTypes: false, meta: false, validateSchema: false });
  ajv.addKeyword({ keyword: 'x-problem' });
  ajv.addFormat('https-url', (text: string) => isAbsoluteUrl(text, ['https']));
  ajv.addFormat('link-url', (text: string) => isAbsoluteUrl(text, schemes));
  ajv.addFormat('email', true); // for the description: the store says what is none (names.ts)
  ajv.addFormat('password', true); // for the description and givenFieldsOf
  ajv.addFormat('rfc3339', (text: string) => fromRfc3339(text) !== null);
  ajv.addFormat('timestamp', (text: string) => fromTimestamp(text) !== null);
  return ajv;
}

/**
 * Cuts lists and maps to one more than allowed, still rejected. Checking thousands for uniqueness would block the
 * thread.
 */
function listBounds({ properties }: Schema): (body: Body) => Body {
  const fields = Object.entries(
    properties as Record<string, { readonly maxItems?: number; readonly maxProperties?: number }>,
  );
  return (body) => {
    const cut = fields.flatMap(([field, { maxItems, maxProperties }]) => {
      const value = body[field];
      if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems)
        return [[field, value.slice(0, maxItems + 1)]];
      if (maxProperties !== undefined && isJsonObject(value) && Object.keys(value).length > maxProperties)
        return [[field, Object.fromEntries(Object.entries(value).slice(0, maxProperties + 1))]];
      return [];
    });
    return cut.length === 0 ? body : { ...body, ...Object.fromEntries(cut) };
  };
}

function noRules(): readonly FieldProblem[] {
  return [];
}

function invalidFields(
  problems: readonly ErrorObject[],
  byRules: readonly FieldProblem[],
  order: readonly string[],
  schemes: readonly string[],
): InvalidFields {
  const sentences = new Map<string, Set<string>>(order.map((field) => [field, new Set()]));
  const ofWrongType = new Set(
    problems.filter(({ keyword }) => keyword === 'type').map((problem) => fieldOf(problem, order)),
  );
  for (const problem of problems) {
    const field = fieldOf(problem, order);
    // A wrong type causes all other problems of the value.
    if (ofWrongType.has(field) && problem.keyword !== 'type') continue;
    sentences.get(field)?.add(`The ${field} field ${wording(problem, schemes)}.`);
  }
  for (const { field, message } of byRules) {
    const isFirst = withThoseAround(field).every((path) => !sentences.get(path)?.size);
    if (isFirst) sentences.set(field, new Set([message]));
  }
  const errors = [...sentences]
    .filter(([, ofField]) => ofField.size > 0)
    .map(([field, all]) => [field, [...all]] as const);
  const [first = '', ...more] = errors.flatMap(([, all]) => all);
  return { message: first + howManyMore(more.length), errors: Object.fromEntries(errors) };
}

/** Returns fields' paths, outer ones first: `keys`, `keys.auth`. */
function fieldsIn({ properties = {} }: Schema): readonly string[] {
  return Object.entries(properties as Record<string, Schema>).flatMap(([name, schema]) => [
    name,
    ...fieldsIn(schema).map((inner) => `${name}.${inner}`),
  ]);
}

/** `a`, `a.b` and `a.b.c` of `a.b.c`. */
function withThoseAround(field: string): readonly string[] {
  const names = field.split('.');
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
}

/** Returns the field: the list of an item, or the object of a free pair. */
function fieldOf({ keyword, params, instancePath }: ErrorObject, fields: readonly string[]): string {
  const path = instancePath.split('/').slice(1);
  const isMissing = keyword === 'required' || keyword === 'dependentRequired';
  const around = withThoseAround((isMissing ? [...path, params.missingProperty] : path).join('.'));
  return around.findLast((field) => fields.includes(field)) ?? '';
}

/** Returns the rule: a URL's wrong character, the schema's `x-problem`, or the keyword's words. */
function wording({ keyword, params, parentSchema, data }: ErrorObject, schemes: readonly string[]): string {
  const character = URL_FORMATS.includes(params.format) ? wrongCharacter(String(data)) : null;
  if (character !== null) return character;
  const own: string | undefined = parentSchema?.['x-problem']?.[keyword];
  if (own !== undefined) return own;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'dependentRequired':
      return `is required with ${params.property}`;
    case 'type':
      return `must be ${/^[aeio]/.test(params.type) ? 'an' : 'a'} ${params.type}`;
    case 'maxLength':
      return `must not be greater than ${params.limit} characters`;
    case 'maximum':
      return `must not be greater than ${params.limit}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'minLength':
      return `must be at least ${params.limit} characters`;
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'format':
      return `must be an absolute URL that starts with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`;
    default:
      return 'is not valid';
  }
}

const URL_FORMATS = ['https-url', 'link-url'];

function howManyMore(count: number): string {
  if (count === 0) return '';
  return ` (and ${count} more ${count === 1 ? 'error' : 'errors'})`;
}
