import type { IncomingMessage } from 'node:http';
import { addressSettings } from '../../config/config.ts';
import { addressProblems } from '../../contract/addresses.ts';
import type { BodyOf } from '../../contract/api-types.ts';
import type { FieldProblem } from '../../contract/details.ts';
import { bodyCheck, fieldPicker } from '../../contract/fields.ts';
import { type OperationId, operationOf } from '../../contract/operations.ts';
import { quietProblems } from '../../contract/ringing.ts';
import { webhookPlaceProblem } from '../../contract/webhook-addresses.ts';
import { webhookUrlProblem } from '../../contract/webhooks.ts';
import { FieldsError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import type { Service } from '../service.ts';
import { readPlainJson } from './read-json.ts';

/** Reads a body's fields by camelCase names. Throws as `readJson` does, and FieldsError. */
type BodyReader<T> = (context: Context) => Promise<T>;

type Rules<T> = (fields: T) => readonly FieldProblem[];

export function bodyReader<Id extends OperationId>(
  id: Id,
  rules: Rules<BodyOf<Id>> = () => [],
): BodyReader<BodyOf<Id>> {
  const { body: schema, bodyIsOptional, method } = operationOf(id);
  if (schema === undefined) throw new Error(`${id} takes no body`);
  const pick = fieldPicker<BodyOf<Id>>(schema);
  const check = bodyCheck(schema, { isChange: method === 'patch', rules: (body) => rules(pick(body)) });
  return async (context) => {
    const body = bodyIsOptional && !hasBody(context.req) ? {} : await readPlainJson(context);
    const { fields, problem } = check(body);
    if (problem !== null) throw new FieldsError(problem);
    return pick(fields);
  };
}

/** Requests without these fields have no body (RFC 9112, section 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

type Settings = Service['config'];
type RulesById = {
  readonly [Id in OperationId]?: (config: Settings) => (fields: BodyOf<Id>) => readonly FieldProblem[];
};

const RULES: RulesById = {
  registerDevice: (config) => {
    const settings = addressSettings(config);
    return (device) => addressProblems(device, settings);
  },
  updateChannel:
    () =>
    ({ quiet }) =>
      quiet ? quietProblems(quiet) : [],
  createWebhook: webhookRules,
  updateWebhook: webhookRules,
};

export function rulesOf<Id extends OperationId>(id: Id, config: Settings) {
  return RULES[id]?.(config);
}

/** Checks the address. Names are looked up only when connecting. */
function webhookRules({ webhooks }: Settings) {
  return ({ url }: { readonly url?: string }): readonly FieldProblem[] => {
    if (url === undefined) return [];
    const problem = webhookUrlProblem(url) ?? (webhooks.allowPrivate ? null : webhookPlaceProblem(url));
    return problem === null ? [] : [problem];
  };
}
