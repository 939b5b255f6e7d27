import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import type { ServiceAccount } from '../../src/sandbox/fcm/oauth.ts';
import type { Sandbox } from './sandbox/start.ts';

/** Plain HTTP/2 and HTTPS clients of the sandbox, which show exactly what is on the wire. */

export interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  /** The code of the RST_STREAM that ended the stream, 0 if none did. */
  readonly rstCode: number;
}

/** The settings that a client of FCM needs for a sandbox. */
export type FcmAccess = Pick<Sandbox, 'caPem' | 'fcm' | 'serviceAccount'>;

export interface ApnsPost {
  readonly headers?: http2.OutgoingHttpHeaders;
  readonly body?: string;
}

/** A connection with one provider token, as APNs wants it. */
export interface ApnsClient {
  readonly session: http2.ClientHttp2Session;
  /** Posts a good alert, but for what `post` says otherwise. Never rejects: a broken answer has no status. */
  post(token: string, post?: ApnsPost): Promise<Answered>;
}

export async function connectApns(url: string, sandbox: Sandbox): Promise<ApnsClient> {
  const session = http2.connect(url, { ca: sandbox.caPem });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  const authorization = `bearer ${providerToken(sandbox)}`;
  return {
    session,
    post: (token, { headers, body } = {}) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': `/3/device/${token}`,
        authorization,
        'apns-topic': sandbox.topic,
        'apns-push-type': 'alert',
        ...headers,
      });
      stream.end(body ?? '{"aps":{"alert":"Hello"}}');
      return readAnswer(stream);
    },
  };
}

/** A connection for one push. */
export async function postApnsOnce(sandbox: Sandbox, url: string, token: string, post?: ApnsPost): Promise<Answered> {
  const client = await connectApns(url, sandbox);
  try {
    return await client.post(token, post);
  } finally {
    client.session.destroy();
  }
}

async function readAnswer(stream: http2.ClientHttp2Stream): Promise<Answered> {
  let headers: Answered['headers'] = {};
  const chunks: Buffer[] = [];
  stream.on('error', () => {});
  stream.on('response', (received) => {
    headers = received;
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => stream.on('close', resolve));
  const status = headers[':status'];
  return {
    status: typeof status === 'number' ? status : undefined,
    headers,
    text: Buffer.concat(chunks).toString(),
    rstCode: stream.rstCode ?? 0,
  };
}

/** The JWT of APNs' token authentication. `iat` in seconds; now, by default. */
export function providerToken(
  sandbox: Pick<Sandbox, 'apnsKey'>,
  change: { readonly kid?: string; readonly iss?: string; readonly iat?: number } = {},
): string {
  const { pem, keyId, teamId } = sandbox.apnsKey;
  const header = { alg: 'ES256', kid: change.kid ?? keyId };
  const claims = { iss: change.iss ?? teamId, iat: change.iat ?? Math.floor(Date.now() / 60_000) * 60 };
  return signJwt(header, claims, (data) =>
    sign('sha256', data, { key: createPrivateKey(pem), dsaEncoding: 'ieee-p1363' }),
  );
}

export async function fetchAccessToken(sandbox: FcmAccess, claims: Record<string, unknown> = {}): Promise<string> {
  const answered = await postGrant(sandbox, assertion(sandbox.serviceAccount, claims));
  return (JSON.parse(answered.text) as { access_token: string }).access_token;
}

export function postGrant(sandbox: FcmAccess, jwt: string): Promise<Answered> {
  const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: jwt });
  return post(sandbox, sandbox.fcm.tokenUrl, { 'content-type': 'application/x-www-form-urlencoded' }, form.toString());
}

export function assertion(account: ServiceAccount, change: Record<string, unknown> = {}): string {
  const nowS = Math.floor(Date.now() / 1000);
  const claims = {
    iss: account.client_email,
    aud: account.token_uri,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    iat: nowS,
    exp: nowS + 3600,
    ...change,
  };
  return signJwt({ alg: 'RS256', typ: 'JWT' }, claims, (data) => sign('sha256', data, account.private_key));
}

/** Posts a body to messages:send; `authorization` and the project can be changed. Rejects if the connection breaks. */
export function postFcm(
  sandbox: Sandbox,
  body: unknown,
  options: { readonly accessToken: string; readonly project?: string; readonly agent?: https.Agent },
): Promise<Answered> {
  const url = `${sandbox.fcm.url}/v1/projects/${options.project ?? sandbox.serviceAccount.project_id}/messages:send`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${options.accessToken}` };
  return post(sandbox, url, headers, typeof body === 'string' ? body : JSON.stringify(body), options.agent);
}

async function post(
  sandbox: Pick<Sandbox, 'caPem'>,
  url: string,
  headers: Record<string, string>,
  body: string,
  agent?: https.Agent,
): Promise<Answered> {
  const request = https.request(url, { method: 'POST', headers, ca: sandbox.caPem, agent: agent ?? false });
  request.end(body);
  const [response] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString(), rstCode: 0 };
}

export function signJwt(header: object, claims: object, signature: (data: Buffer) => Buffer): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const unsigned = `${encode(header)}.${encode(claims)}`;
  return `${unsigned}.${signature(Buffer.from(unsigned)).toString('base64url')}`;
}
