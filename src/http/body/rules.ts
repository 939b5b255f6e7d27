import { addressSettings } from '../../config/config.ts';
import { addressProblems } from '../../contract/addresses.ts';
import type { BodyOf } from '../../contract/api-types.ts';
import type { FieldProblem } from '../../contract/details.ts';
import type { OperationId } from '../../contract/operations.ts';
import { quietProblems } from '../../contract/quiet-hours.ts';
import { webhookPlaceProblem } from '../../contract/webhook-addresses.ts';
import { webhookUrlProblem } from '../../contract/webhooks.ts';
import type { Service } from '../service.ts';

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
