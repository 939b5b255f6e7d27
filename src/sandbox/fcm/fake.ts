import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeRsaKeys } from '../../acme/certify.ts';
import { type FakeResponse, isAccepted, reasonOf, type SandboxAnswer } from '../answers.ts';
import { type FakeProvider, type RunningFake, randomIdentifier, type SandboxContext } from '../fake.ts';
import { answerHttp, send, startHttps, type VendorResponses } from '../https.ts';
import { type Listener, urlOf } from '../listener.ts';
import { checkRequest, type FcmRequest, isViolation, type Violation } from './checks.ts';
import { isOAuthError, OAuth, type ServiceAccount } from './oauth.ts';
import { FCM_WORDS, makeFcmToken, readFcmToken } from './token.ts';

interface FcmKeys {
  readonly serviceAccount: ServiceAccount;
}

interface FcmInfo {
  readonly fcm: { readonly url: string; readonly tokenUrl: string };
  /** Its `token_uri` is this sandbox's `fcm.tokenUrl`. */
  readonly serviceAccount: ServiceAccount;
  /** Rejects all earlier access tokens from now on. */
  revokeAccessTokens(): void;
}

/** Values for the equally named settings. */
type FcmTrialSettings = {
  readonly service_account_file: string;
  readonly endpoint: string;
  readonly token_endpoint: string;
  readonly ca_file: string;
};

const PROJECT = 'pushctl-sandbox';
const ACCOUNT_FILE = 'service-account.json';

export const fakeFcm: FakeProvider<FcmKeys, RunningFake<FcmInfo, FcmTrialSettings>> = {
  endpoints: ['fcm', 'oauth'],

  async makeKeys() {
    const rsa = await makeRsaKeys();
    const serviceAccount = {
      type: 'service_account',
      project_id: PROJECT,
      private_key_id: randomIdentifier().toLowerCase(),
      private_key: rsa.privateKey,
      client_email: `pushctl@${PROJECT}.iam.gserviceaccount.com`,
      client_id: '100000000000000000001',
      token_uri: 'https://oauth2.googleapis.com/token',
    } as const;
    return { serviceAccount };
  },

  async readKeys(read) {
    const account = await read(ACCOUNT_FILE);
    return account === null ? null : { serviceAccount: JSON.parse(account) as ServiceAccount };
  },

  homeOf: () => 'fcm',

  makeToken: (header, unique, { tokenKind }) => makeFcmToken(header, unique, tokenKind ?? 'token'),

  async start({ serviceAccount: account }, { accessTokenLifetimeS: lifetimeS }, context) {
    let tokenUrl = '';
    const oauth = new OAuth({ serviceAccount: account, tokenUrl: () => tokenUrl, lifetimeS });
    const [fcm, tokens] = await Promise.all([
      startFcm({ projectId: account.project_id, oauth }, context),
      startOAuth(oauth, context),
    ]);
    tokenUrl = `${urlOf(tokens)}/token`;
    const url = urlOf(fcm);
    const serviceAccount = { ...account, token_uri: tokenUrl };
    return {
      info: { fcm: { url, tokenUrl }, serviceAccount, revokeAccessTokens: () => oauth.revokeAll() },
      files: { [ACCOUNT_FILE]: `${JSON.stringify(serviceAccount, null, 2)}\n` },
      settings: (place, caFile) => ({
        service_account_file: place(ACCOUNT_FILE),
        endpoint: url,
        token_endpoint: tokenUrl,
        ca_file: caFile,
      }),
    };
  },
};

interface FcmOptions {
  readonly projectId: string;
  readonly oauth: OAuth;
}

interface Refused {
  readonly reason: FcmCode;
  readonly error: FcmError;
}

const SEND_PATH = /^\/v1\/projects\/([^/]+)\/messages:send$/;
const JSON_TYPE = 'application/json; charset=UTF-8';

/** Serves FCM's HTTP v1 API: `POST /v1/projects/{id}/messages:send` over HTTPS. */
function startFcm({ oauth, projectId }: FcmOptions, context: SandboxContext): Promise<Listener> {
  function serve(request: IncomingMessage, response: ServerResponse, body: Buffer, listener: Listener): void {
    const nowMs = context.wallMs();
    const read = check(request, body.toString(), nowMs);
    if (isRefused(read)) {
      context.journal.refuse({ endpoint: 'fcm', token: '', reason: read.reason, receivedAtMs: nowMs });
      send(response, json(read.error));
      return;
    }
    const messageId = `projects/${projectId}/messages/${randomBytes(12).toString('hex')}`;
    const chosen = choose(read);
    if (!read.validateOnly) record(read, chosen, request, messageId, nowMs);
    const name = read.validateOnly ? `projects/${projectId}/messages/fake_message_id` : messageId;
    answerHttp(request, response, chosen, wordsFor(`${JSON.stringify({ name }, null, 2)}\n`), listener);
  }

  /** Checks in Google's order: path, OAuth token, project, body. */
  function check(request: IncomingMessage, body: string, nowMs: number): FcmRequest | Refused {
    const project = SEND_PATH.exec(request.url ?? '')?.[1];
    if (project === undefined || request.method !== 'POST') return refused('NOT_FOUND');
    if (!oauth.isGood(request.headers.authorization, nowMs)) return refused('UNAUTHENTICATED');
    if (project !== projectId) return refused('NOT_FOUND');
    const read = checkRequest(body);
    return isViolation(read) ? { reason: 'INVALID_ARGUMENT', error: badRequest(read) } : read;
  }

  function choose({ target }: FcmRequest): SandboxAnswer {
    const issued = readFcmToken(target.value);
    const own = context.override({ endpoint: 'fcm', token: target.value, issued });
    if (own !== null) return own;
    if (target.kind === 'topic' || target.kind === 'condition') return { kind: 'accept' };
    const isKnown = issued === null ? context.acceptUnknownTokens : issued.home === 'fcm';
    if (!isKnown) return { kind: 'refuse', reason: 'INVALID_ARGUMENT' };
    return context.faults.answerOf('fcm', target.value, FCM_WORDS);
  }

  function record(
    { target, message }: FcmRequest,
    chosen: SandboxAnswer,
    request: IncomingMessage,
    messageId: string,
    receivedAtMs: number,
  ): void {
    const token = target.value;
    if (!isAccepted(chosen)) {
      context.journal.refuse({ endpoint: 'fcm', token, reason: reasonOf(chosen), receivedAtMs });
      return;
    }
    const headers = request.headers as Readonly<Record<string, string>>;
    context.journal.accept({ endpoint: 'fcm', token, payload: message, headers, receivedAtMs, messageId });
  }

  return startHttps('fcm', context, serve);
}

/** Starts Google's token endpoint, `POST /token`, on its own listener so it can fail alone. */
function startOAuth(oauth: OAuth, context: SandboxContext): Promise<Listener> {
  return startHttps('oauth', context, (request, response, body, listener) => {
    if (request.method !== 'POST' || request.url !== '/token') {
      send(response, json({ status: 404, body: '{"error":"not_found"}' }));
      return;
    }
    const result = oauth.grant(body.toString(), context.wallMs());
    if (isOAuthError(result)) {
      send(response, json({ status: result.status, body: JSON.stringify(result.body) }));
      return;
    }
    const chosen = context.override({ endpoint: 'oauth', token: '', issued: null }) ?? { kind: 'accept' };
    answerHttp(request, response, chosen, wordsFor(JSON.stringify(result)), listener);
  });
}

function refused(reason: FcmCode): Refused {
  return { reason, error: fcmError(reason) };
}

function isRefused(result: FcmRequest | Refused): result is Refused {
  return 'error' in result;
}

function wordsFor(success: string): VendorResponses {
  return {
    success: json({ status: 200, body: success }),
    refusal: (reason, status) => json(fcmError(reason, status)),
  };
}

function json({ status, body }: FcmError): FakeResponse {
  return { status, headers: { 'content-type': JSON_TYPE }, body };
}

/**
 * FCM's error codes: HTTP status, `error.status`, message, and whether an FcmError detail names the code. Sources: REST
 * reference of `ErrorCode` and real messages. Codes without detail come from the API front end (wrong project, missing
 * role, bad OAuth token).
 */
interface Shape {
  readonly http: number;
  readonly status: string;
  readonly message: string;
  readonly detail: boolean;
}

const SHAPES = {
  UNSPECIFIED_ERROR: shape(500, 'UNKNOWN', 'Unknown error.', true),
  INVALID_ARGUMENT: shape(
    400,
    'INVALID_ARGUMENT',
    'The registration token is not a valid FCM registration token',
    true,
  ),
  UNREGISTERED: shape(404, 'NOT_FOUND', 'Requested entity was not found.', true),
  SENDER_ID_MISMATCH: shape(403, 'PERMISSION_DENIED', 'SenderId mismatch', true),
  QUOTA_EXCEEDED: shape(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric.', true),
  /** Our own code: QUOTA_EXCEEDED with a QuotaFailure naming the device. */
  DEVICE_QUOTA_EXCEEDED: shape(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric.', true),
  UNAVAILABLE: shape(503, 'UNAVAILABLE', 'The service is currently unavailable.', true),
  INTERNAL: shape(500, 'INTERNAL', 'Internal error encountered.', true),
  THIRD_PARTY_AUTH_ERROR: shape(401, 'UNAUTHENTICATED', 'Auth error from APNS or Web Push Service', true),
  UNAUTHENTICATED: shape(
    401,
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    false,
  ),
  PERMISSION_DENIED: shape(403, 'PERMISSION_DENIED', "Permission 'cloudmessaging.messages.create' denied.", false),
  NOT_FOUND: shape(404, 'NOT_FOUND', 'Requested entity was not found.', false),
  RESOURCE_EXHAUSTED: shape(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', false),
} as const;

type FcmCode = keyof typeof SHAPES;

interface FcmError {
  readonly status: number;
  readonly body: string;
}

/** Returns a code's answer; 500 if undocumented. */
function fcmError(code: string, httpStatus?: number): FcmError {
  const { http, status, message, detail } = Object.hasOwn(SHAPES, code)
    ? SHAPES[code as FcmCode]
    : SHAPES.UNSPECIFIED_ERROR;
  return errorBody(httpStatus ?? http, status, message, detail ? detailsOf(code) : []);
}

/** Answers 400 with `google.rpc.BadRequest`. FCM adds its detail to violations it finds itself. */
function badRequest(violation: Violation): FcmError {
  const badRequestDetail = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: violation.field, description: violation.description }],
  };
  const details = violation.byFcm ? [fcmDetail('INVALID_ARGUMENT'), badRequestDetail] : [badRequestDetail];
  return errorBody(400, 'INVALID_ARGUMENT', violation.description, details);
}

function shape(http: number, status: string, message: string, hasDetail: boolean): Shape {
  return { http, status, message, detail: hasDetail };
}

function detailsOf(code: string): readonly object[] {
  if (code !== 'DEVICE_QUOTA_EXCEEDED') return [fcmDetail(code)];
  const violations = [{ subject: 'device', description: 'Device message rate exceeded.' }];
  return [fcmDetail('QUOTA_EXCEEDED'), { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations }];
}

function fcmDetail(errorCode: string): object {
  return { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode };
}

function errorBody(http: number, status: string, message: string, details: readonly object[]): FcmError {
  const error = { code: http, message, status, ...(details.length > 0 && { details }) };
  return { status: http, body: JSON.stringify({ error }, null, 2) };
}
