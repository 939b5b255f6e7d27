import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { camelCase, isJsonObject } from '../values/json.ts';
import { fromRfc3339, fromTimestamp } from '../values/timestamp.ts';
import type { ApiSchema } from './api-types.ts';
import { type FieldProblem, fieldProblem, paramsOf, type SentenceCode } from './details.ts';
import { givenFieldsOf } from './given-fields.ts';
import { readSchema, type Schema, withMaxima } from './schemas.ts';
import { isAbsoluteUrl, wrongCharacter } from './urls.ts';

/** The body of a 422: full sentences for all wrong fields; the first is the summary. */
export type InvalidFields = ApiSchema<'InvalidFields'>;

type Body = Readonly<Record<string, unknown>>;

interface FieldCheckOptions {
  /** Link schemes besides `http` and `https`. */
  readonly urlSchemes?: readonly string[] | undefined;
  /** The largest values of some fields that this server allows. */
  readonly maxima?: Readonly<Record<string, number>>;
  /** Rules beyond the schema, for valid fields. */
  readonly rules?: (body: Body) => readonly FieldProblem[];
}

interface BodyCheckOptions extends FieldCheckOptions {
  /** A PATCH, in which null and blanks are values. */
  readonly isChange?: boolean;
}

interface CheckedBody {
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
  { urlSchemes = [], maxima = {}, rules = noRules }: FieldCheckOptions = {},
): (body: Body, extra?: readonly FieldProblem[]) => InvalidFields | null {
  const schemes = ['http', 'https', ...urlSchemes.map((scheme) => scheme.toLowerCase())];
  const name = [schemaName, ...Object.entries(maxima).flat()].join('-');
  const schema = { ...withMaxima(readSchema(schemaName), maxima), $id: name };
  const order = fieldsIn(schema);
  const bounded = listBounds(schema);
  let validate: ValidateFunction | undefined;
  return (body, extra = []) => {
    validate ??= compiled(name, schema, schemes);
    const problems = validate(bounded(body)) ? [] : (validate.errors ?? []);
    const byRules = [...rules(body), ...extra];
    if (problems.length + byRules.length === 0) return null;
    return invalidFields(problemsOf(problems, byRules, order, schemes));
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

function problemsOf(
  errors: readonly ErrorObject[],
  byRules: readonly FieldProblem[],
  order: readonly string[],
  schemes: readonly string[],
): readonly FieldProblem[] {
  const found = new Map<string, FieldProblem[]>(order.map((field) => [field, []]));
  const ofWrongType = new Set(errors.filter(({ keyword }) => keyword === 'type').map((error) => fieldOf(error, order)));
  for (const error of errors) {
    const field = fieldOf(error, order);
    // A wrong type causes all other problems of the value.
    if (ofWrongType.has(field) && error.keyword !== 'type') continue;
    const problem = problemOf(error, field, schemes);
    const ofField = found.get(field);
    if (ofField?.every(({ message }) => message !== problem.message)) ofField.push(problem);
  }
  for (const problem of byRules) {
    const isFirst = withThoseAround(problem.field).every((path) => !found.get(path)?.length);
    if (isFirst) found.set(problem.field, [problem]);
  }
  return [...found.values()].flat();
}

/** `problems`: at least one. */
export function invalidFields(problems: readonly FieldProblem[]): InvalidFields {
  const errors = new Map<string, string[]>();
  for (const { field, message } of problems) errors.set(field, [...(errors.get(field) ?? []), message]);
  const details = problems.map(({ message: _, ...detail }) => detail);
  const [first, ...more] = problems;
  return { message: (first?.message ?? '') + howManyMore(more.length), errors: Object.fromEntries(errors), details };
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

/** Finds the sentence by the URL's wrong character, the schema's `x-problem`, or the keyword. */
function problemOf(error: ErrorObject, field: string, schemes: readonly string[]): FieldProblem {
  const { keyword, params, parentSchema = {}, data } = error;
  const character = URL_FORMATS.includes(params.format) ? wrongCharacter(field, String(data)) : null;
  if (character !== null) return character;
  const own: string | Readonly<Record<string, string>> | undefined = parentSchema['x-problem'];
  const code = (typeof own === 'string' ? own : own?.[keyword]) ?? codeOf(error);
  const values = {
    least: parentSchema.minimum ?? parentSchema.minLength,
    most: parentSchema.maximum ?? parentSchema.maxLength ?? parentSchema.maxItems ?? parentSchema.maxProperties,
    values: parentSchema.enum,
    other: params.property,
    schemes: schemes.map((scheme) => `${scheme}:`).join(' or '),
  };
  const named = paramsOf(code as SentenceCode).flatMap((name) =>
    name in values ? [[name, values[name as 'most']]] : [],
  );
  return fieldProblem(field, code as 'max_length', Object.fromEntries(named));
}

function codeOf({ keyword, params, parentSchema = {} }: ErrorObject): SentenceCode {
  const isRange = parentSchema.minimum !== undefined && parentSchema.maximum !== undefined;
  switch (keyword) {
    case 'required':
      return 'required';
    case 'dependentRequired':
      return 'required_with';
    case 'type':
      return isRange ? 'whole_number' : TYPES[[params.type].flat()[0] as keyof typeof TYPES];
    case 'minimum':
      return isRange ? 'whole_number' : 'minimum';
    case 'maximum':
      return isRange ? 'whole_number' : 'maximum';
    case 'minLength':
      return params.limit === 1 ? 'not_empty' : 'min_length';
    case 'maxLength':
      return 'max_length';
    case 'minItems':
      return 'no_entry';
    case 'maxItems':
    case 'maxProperties':
      return 'max_entries';
    case 'uniqueItems':
      return 'entry_twice';
    case 'enum':
      return 'one_of';
    case 'format':
      return FORMATS[params.format as keyof typeof FORMATS];
    default:
      return 'not_valid';
  }
}

const URL_FORMATS = ['https-url', 'link-url'];
const FORMATS = {
  'https-url': 'https_url',
  'link-url': 'absolute_url',
  rfc3339: 'time_rfc3339',
  timestamp: 'time',
} as const;
const TYPES = {
  array: 'type_array',
  boolean: 'type_boolean',
  integer: 'type_integer',
  object: 'type_object',
  string: 'type_string',
} as const;

function howManyMore(count: number): string {
  if (count === 0) return '';
  return ` (and ${count} more ${count === 1 ? 'error' : 'errors'})`;
}
