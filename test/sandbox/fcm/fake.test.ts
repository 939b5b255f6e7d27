import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sandbox } from '../../support/sandbox/start.ts';
import { aSandbox } from '../../support/sandbox.ts';
import { assertion, fetchAccessToken, postFcm, postGrant } from '../../support/vendor-clients.ts';

test('the token endpoint checks the assertion', async () => {
  await using sandbox = await aSandbox();
  const account = sandbox.serviceAccount;
  const nowS = Math.floor(Date.now() / 1000);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const otherKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const cases: [string, number, string][] = [
    [assertion(account), 200, '"token_type":"Bearer"'],
    [assertion(account, { aud: 'https://oauth2.googleapis.com/token' }), 200, '"expires_in":3600'],
    [assertion({ ...account, private_key: otherKey }), 400, 'Invalid JWT Signature.'],
    [assertion(account, { iss: 'somebody@else' }), 400, 'account not found'],
    [assertion(account, { aud: 'https://elsewhere' }), 400, 'Failed audience check'],
    [assertion(account, { scope: 'https://www.googleapis.com/auth/drive' }), 400, 'invalid_scope'],
    [assertion(account, { iat: nowS - 7200, exp: nowS - 3600 }), 400, 'short-lived token'],
    [assertion(account, { exp: nowS + 7200 }), 400, 'short-lived token'],
    ['nonsense', 400, 'invalid_grant'],
  ];
  for (const [jwt, status, text] of cases) {
    const answer = await postGrant(sandbox, jwt);
    assert.is(answer.status, status, text);
    assert.ok(answer.text.includes(text), answer.text);
  }
});

test('an access token is refused when it is unknown, expired or revoked', async () => {
  let nowMs = Date.now();
  await using sandbox = await aSandbox({ wallMs: () => nowMs, accessTokenLifetimeS: 60 });
  const status = async (accessToken: string) => (await sendOne(sandbox, { accessToken })).error?.status;
  const accessToken = await fetchAccessToken(sandbox);
  assert.is(await status(accessToken), undefined);
  assert.is(await status('ya29.unknown'), 'UNAUTHENTICATED');
  nowMs += 60_000;
  assert.is(await status(accessToken), 'UNAUTHENTICATED');
  const fresh = await fetchAccessToken(sandbox);
  sandbox.revokeAccessTokens();
  assert.is(await status(fresh), 'UNAUTHENTICATED');
});

test('another project is not found, without the detail that a dead token has', async () => {
  await using sandbox = await aSandbox();
  const accessToken = await fetchAccessToken(sandbox);
  const wrongProject = await sendOne(sandbox, { accessToken, project: 'other' });
  assert.equal([wrongProject.error?.code, wrongProject.error?.status], [404, 'NOT_FOUND']);
  assert.is(wrongProject.error?.details, undefined);
});

test('a violation names its field, and only one of FCM itself has the FcmError detail', async () => {
  await using sandbox = await aSandbox();
  const accessToken = await fetchAccessToken(sandbox);
  const types = async (part: object) =>
    (await sendOne(sandbox, { accessToken }, part)).error?.details?.map((detail) => detail['@type'].split('/')[1]);
  assert.equal(await types({ titel: 'x' }), ['google.rpc.BadRequest']);
  assert.equal(await types({ data: { from: 'x' } }), ['google.firebase.fcm.v1.FcmError', 'google.rpc.BadRequest']);
});

test('validate_only answers like a send but sends nothing', async () => {
  await using sandbox = await aSandbox();
  const accessToken = await fetchAccessToken(sandbox);
  const message = { token: sandbox.token({ platform: 'android' }) };
  const answer = await postFcm(sandbox, { message, validate_only: true }, { accessToken });
  assert.is(JSON.parse(answer.text).name, 'projects/pushctl-sandbox/messages/fake_message_id');
  assert.is(sandbox.counts.accepted, 0);
});

test('an installation ID is a target of its own kind', async () => {
  await using sandbox = await aSandbox();
  const fid = sandbox.token({ platform: 'android', tokenKind: 'installation_id' });
  const dead = sandbox.token({ platform: 'android', tokenKind: 'installation_id', behaviour: 'unregistered' });
  const accessToken = await fetchAccessToken(sandbox);
  assert.is((await postFcm(sandbox, { message: { fid } }, { accessToken })).status, 200);
  assert.is((await postFcm(sandbox, { message: { fid: dead } }, { accessToken })).status, 404);
  assert.is(sandbox.pushes[0]?.token, fid);
});

interface Body {
  readonly error?: {
    readonly code: number;
    readonly status: string;
    readonly details?: readonly { readonly '@type': string }[];
  };
}

async function sendOne(
  sandbox: Sandbox,
  options: { readonly accessToken: string; readonly project?: string },
  part: object = {},
): Promise<Body> {
  const message = { token: sandbox.token({ platform: 'android' }), ...part };
  return JSON.parse((await postFcm(sandbox, { message }, options)).text);
}

test.run();
