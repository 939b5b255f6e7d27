import type { Clock } from '../../process/clock.ts';
import type { Outcome } from '../../push.ts';
import { outcomeOfRequest } from '../agent.ts';
import { ask, timeIn } from '../https.ts';
import { outcomeOf } from '../outcomes.ts';
import type { Probe, Vendor } from '../provider.ts';
import { AccessTokens } from './access-token.ts';
import type { FcmSettings } from './credentials.ts';
import { FCM_OUTCOMES } from './outcomes.ts';

export const GOOGLE: Vendor = { name: 'Google', domain: 'googleapis.com' };
const NOBODYS_TOPIC = 'pushctl-doctor';

export const fcmProbe: Probe<FcmSettings> = {
  endpoint: (_route, { endpoint }) => ({ url: endpoint, setting: 'fcm.endpoint', vendor: GOOGLE }),

  async ask(_route, settings, clock) {
    const outcome = await askToValidate(settings, clock);
    return outcome.kind === 'accepted' ? { works: 'accepts this service account' } : { refused: outcome };
  },

  time: ({ tokenEndpoint, ca }) => ({
    url: tokenEndpoint,
    vendor: GOOGLE,
    answer: ask(tokenEndpoint, { method: 'GET', ca }).then(({ date }) => timeIn(date)),
  }),
};

/**
 * Validates a message unsent, which tests the account's rights in the project.
 * https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send
 */
async function askToValidate(settings: FcmSettings, clock: Clock): Promise<Outcome> {
  const access = await new AccessTokens(settings, clock).get();
  if ('outcome' in access) return access.outcome;
  const project = encodeURIComponent(settings.serviceAccount.project_id);
  const url = new URL(`/v1/projects/${project}/messages:send`, settings.endpoint);
  const body = JSON.stringify({ validate_only: true, message: { topic: NOBODYS_TOPIC, data: {} } });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${access.token}` };
  return ask(url, { method: 'POST', headers, body, ca: settings.ca }).then(
    (answer) => outcomeOf(FCM_OUTCOMES, { status: answer.status, reason: errorCodeIn(answer.body) }),
    outcomeOfRequest,
  );
}

/** Returns FCM's code in the details, else Google's. */
function errorCodeIn(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { status?: string; details?: { errorCode?: string }[] } };
    return error?.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? error?.status ?? null;
  } catch {
    return null;
  }
}
