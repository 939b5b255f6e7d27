import type { ApiSchema } from './api-types.ts';
import { API_ERRORS, type ApiErrorCode } from './errors.ts';
import { PROGRAM_SENTENCES, SENTENCES } from './sentences.ts';

/** An error without words. */
export type ErrorDetail = Omit<ApiSchema<'ErrorDetail'>, 'code'> & { readonly code: ErrorCode };

/** A field's fault, with its English. */
export interface FieldProblem extends ErrorDetail {
  readonly field: string;
  readonly message: string;
}

const ENGLISH = { ...SENTENCES, ...PROGRAM_SENTENCES };

type English = typeof ENGLISH;
export type SentenceCode = keyof English;
type ErrorCode = SentenceCode | ApiErrorCode;

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type Names<Code extends SentenceCode> = Exclude<NamesIn<English[Code]>, 'field'>;
type Param = string | number | readonly string[];
/** The values in a sentence, by name. */
export type ParamsOf<Code extends SentenceCode> = Readonly<Record<Names<Code>, Param>>;
/** Left out for a sentence without values. */
export type Params<Code extends SentenceCode> = [Names<Code>] extends [never] ? [] : [params: ParamsOf<Code>];

export function errorDetail<Code extends SentenceCode>(
  code: Code,
  ...[params]: Params<Code> | [ParamsOf<Code>?]
): ErrorDetail {
  const named = Object.entries<Param>(params ?? {}).map(([name, value]) => [name, inWords(value)]);
  return { code, params: Object.fromEntries(named) };
}

export function fieldProblem<Code extends SentenceCode>(
  field: string,
  code: Code,
  ...params: Params<Code>
): FieldProblem {
  const detail = { ...errorDetail(code, ...params), field };
  return { ...detail, message: inEnglish(detail) };
}

export function inEnglish({ code, field = '', params }: ErrorDetail): string {
  return filled(englishOf(code), { ...params, field });
}

/** Returns the names of a sentence's values. */
export function paramsOf(code: ErrorCode): readonly string[] {
  return [...englishOf(code).matchAll(NAME)].map(([, name = '']) => name);
}

const NAME = /\{(\w+)\}/g;

function englishOf(code: ErrorCode): string {
  return Object.hasOwn(ENGLISH, code) ? ENGLISH[code as SentenceCode] : API_ERRORS[code as ApiErrorCode].message;
}

function filled(text: string, params: Readonly<Record<string, string>>): string {
  return text.replaceAll(NAME, (_, name: string) => params[name] ?? '');
}

function inWords(value: Param): string {
  return typeof value === 'object' ? value.join(', ') : String(value);
}
