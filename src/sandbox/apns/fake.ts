import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { constants, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { unreachable } from '../../push.ts';
import { parseJsonObject } from '../../values/json.ts';
import { type IssuedToken, isAccepted, reasonOf, type SandboxAnswer } from '../answers.ts';
import { type FakeProvider, type RunningFake, randomIdentifier, type SandboxContext } from '../fake.ts';
import { type Listener, urlOf } from '../listener.ts';
import { type ApnsKeys, type Authorizer, type ConnectionAuth, openAuthorizer } from './authorization.ts';
import {
  type ApnsReason,
  checkAddress,
  checkHeaders,
  checkPayload,
  maxPayloadBytes,
  statusOf,
  tokenOf,
  topicOf,
} from './checks.ts';
import { APNS_WORDS, appOfToken, makeApnsToken, readApnsToken } from './token.ts';

interface ApnsInfo extends ApnsKeys {
  readonly topics: readonly string[];
  readonly apns: { readonly productionUrl: string; readonly sandboxUrl: string };
}

/** Values for the equally named settings. */
type ApnsTrialSettings = {
  readonly key_file: string;
  readonly key_id: string;
  readonly team_id: string;
  readonly topic: string;
  readonly topics?: readonly string[];
  readonly endpoint_production: string;
  readonly endpoint_sandbox: string;
  readonly ca_file: string;
};

const DEFAULT_TOPIC = 'com.example.pushctl';
const KEY_FILE = 'apns.p8';
const IDENTITY_FILE = 'sandbox.json';

/** Apple's environments. `apns_sandbox` is Apple's for development, not this sandbox. */
export const fakeApns: FakeProvider<ApnsKeys, RunningFake<ApnsInfo, ApnsTrialSettings>> = {
  endpoints: ['apns_production', 'apns_sandbox'],

  async makeKeys({ topic = DEFAULT_TOPIC }) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { topic, apnsKey: { pem, keyId: randomIdentifier(), teamId: randomIdentifier() } };
  },

  async readKeys(read) {
    const [pem, identity] = [await read(KEY_FILE), await read(IDENTITY_FILE)];
    if (pem === null || identity === null) return null;
    const { key_id, team_id, topic } = JSON.parse(identity) as { key_id: string; team_id: string; topic: string };
    return { topic, apnsKey: { pem, keyId: key_id, teamId: team_id } };
  },

  homeOf: ({ environment }) => (environment === 'sandbox' ? 'apns_sandbox' : 'apns_production'),

  makeToken: (header, unique, { app }) => makeApnsToken(header, unique, app),

  async start({ apnsKey, topic }, { maxStreams, topics }, context) {
    const options = { topics: [topic, ...topics], authorize: openAuthorizer(apnsKey), maxStreams };
    const [production, sandbox] = await Promise.all([
      startApns({ ...options, endpoint: 'apns_production' }, context),
      startApns({ ...options, endpoint: 'apns_sandbox' }, context),
    ]);
    const urls = { productionUrl: urlOf(production), sandboxUrl: urlOf(sandbox) };
    const identity = { key_id: apnsKey.keyId, team_id: apnsKey.teamId, topic };
    return {
      info: { apns: urls, apnsKey, topic, topics },
      files: { [KEY_FILE]: apnsKey.pem, [IDENTITY_FILE]: `${JSON.stringify(identity, null, 2)}\n` },
      settings: (place, caFile) => ({
        key_file: place(KEY_FILE),
        ...identity,
        ...(topics.length > 0 && { topics }),
        endpoint_production: urls.productionUrl,
        endpoint_sandbox: urls.sandboxUrl,
        ca_file: caFile,
      }),
    };
  },
};

interface ApnsOptions {
  readonly endpoint: 'apns_production' | 'apns_sandbox';
  /** Bundle IDs of the team; most devices have the first. */
  readonly topics: readonly string[];
  readonly authorize: Authorizer;
  /** Concurrent streams per connection after the first valid token; before, one, as at Apple. */
  readonly maxStreams: number;
}

/** A request with complete headers. `refusal`: their fault. */
interface Request {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ApnsReason | null;
}

const SESSION_MEMORY_MB = 64;

/** Serves one environment's provider API: HTTP/2 over TLS, `POST /3/device/<token>`. */
async function startApns(options: ApnsOptions, context: SandboxContext): Promise<Listener> {
  const server = createSecureServer({
    ...context.tls,
    settings: { maxConcurrentStreams: 1 },
    maxSessionMemory: SESSION_MEMORY_MB,
  });
  const listener = await context.listen(options.endpoint, (socket) => server.emit('connection', socket));
  // Broken connections are the sandbox's purpose.
  server.on('sessionError', () => {});
  server.on('session', (session) => {
    const connection: ConnectionAuth = { authorization: null, sinceMs: 0 };
    session.on('stream', (stream, headers, _flags, rawHeaders) => {
      const first = connection.authorization === null;
      const request = readHeaders(headers, rawHeaders, connection);
      if (first && connection.authorization !== null) {
        session.settings({ maxConcurrentStreams: options.maxStreams });
      }
      receive(stream, request);
    });
  });

  function readHeaders(given: IncomingHttpHeaders, rawHeaders: readonly string[], connection: ConnectionAuth): Request {
    const headers = given as Readonly<Record<string, string>>;
    const path = headers[':path'] ?? '';
    const seen = { method: headers[':method'] ?? '', path, headers, rawHeaders };
    const refusal =
      checkAddress(seen) ??
      options.authorize(headers.authorization, connection, context.wallMs()) ??
      checkHeaders(seen, options.topics);
    return { token: tokenOf(path), headers, refusal };
  }

  function receive(stream: ServerHttp2Stream, request: Request): void {
    const chunks: Buffer[] = [];
    let size = 0;
    const enough = maxPayloadBytes(request.headers['apns-push-type']);
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // One chunk too many suffices.
      if (size - chunk.length <= enough) chunks.push(chunk);
    });
    stream.on('end', () => answer(stream, request, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  }

  function answer(stream: ServerHttp2Stream, request: Request, body: Buffer = Buffer.alloc(0)): void {
    const payload = parseJsonObject(body.toString());
    const refusal = request.refusal ?? checkPayload(body.length, payload, request.headers['apns-push-type']);
    const chosen = refusal === null ? choose(request) : refuse(refusal);
    const apnsId = request.headers['apns-id'] ?? randomUUID();
    const receivedAtMs = context.wallMs();
    record(request, chosen, payload ?? {}, apnsId, receivedAtMs);
    answerApns(stream, chosen, apnsId, receivedAtMs);
  }

  function choose({ token, headers }: Request): SandboxAnswer {
    const issued = readApnsToken(token);
    const own = context.override({ endpoint: options.endpoint, token, issued });
    if (own !== null) return own;
    const refusal = checkDevice(issued, token, headers);
    return refusal === null ? context.faults.answerOf('apns', token, APNS_WORDS) : refuse(refusal);
  }

  function checkDevice(issued: IssuedToken | null, token: string, headers: Request['headers']): ApnsReason | null {
    if (issued === null) return context.acceptUnknownTokens ? null : 'BadDeviceToken';
    if (issued.home !== options.endpoint) return 'BadDeviceToken';
    const topic = topicOf(appOfToken(token, options.topics), headers['apns-push-type']);
    return headers['apns-topic'] === topic ? null : 'DeviceTokenNotForTopic';
  }

  function record(
    { token, headers }: Request,
    chosen: SandboxAnswer,
    payload: Readonly<Record<string, unknown>>,
    messageId: string,
    receivedAtMs: number,
  ): void {
    const { endpoint } = options;
    if (isAccepted(chosen)) context.journal.accept({ endpoint, token, payload, headers, receivedAtMs, messageId });
    else context.journal.refuse({ endpoint, token, reason: reasonOf(chosen), receivedAtMs });
  }

  return listener;
}

function refuse(reason: ApnsReason): SandboxAnswer {
  return { kind: 'refuse', reason };
}

/** Answers on the stream. `invalidSinceMs`: a 410's timestamp. */
function answerApns(stream: ServerHttp2Stream, answer: SandboxAnswer, apnsId: string, invalidSinceMs: number): void {
  if (stream.destroyed) return;
  switch (answer.kind) {
    case 'accept':
      if (answer.afterMs === undefined) accept(stream, apnsId);
      else later(stream, answer.afterMs, () => accept(stream, apnsId));
      break;
    case 'refuse':
      writeRefusal(stream, answer, apnsId, invalidSinceMs);
      break;
    case 'reset':
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      break;
    case 'silent':
      break;
    case 'own':
      answer.overHttp2(stream, apnsId);
      break;
    default:
      unreachable(answer);
  }
}

function accept(stream: ServerHttp2Stream, apnsId: string): void {
  stream.respond({ ':status': 200, 'apns-id': apnsId }, { endStream: true });
}

function writeRefusal(
  stream: ServerHttp2Stream,
  answer: Extract<SandboxAnswer, { kind: 'refuse' }>,
  apnsId: string,
  invalidSinceMs: number,
): void {
  const status = answer.status ?? statusOf(answer.reason);
  const body = JSON.stringify({ reason: answer.reason, ...(status === 410 && { timestamp: invalidSinceMs }) });
  const headers = answer.retryAfterS === undefined ? {} : { 'retry-after': String(answer.retryAfterS) };
  stream.respond({ ':status': status, 'apns-id': apnsId, 'content-type': 'application/json', ...headers });
  stream.end(body);
}

function later(stream: ServerHttp2Stream, afterMs: number, then: () => void): void {
  const timer = setTimeout(() => {
    if (!stream.destroyed) then();
  }, afterMs);
  stream.on('close', () => clearTimeout(timer));
}
