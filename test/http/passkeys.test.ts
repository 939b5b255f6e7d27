import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Authenticator } from '../support/authenticator.ts';
import { ADA, BOB, CARL } from '../support/cast.ts';
import { type Api, type Reply, withApi } from '../support/http.ts';
import { aPerson, letProofsExpire, signIn, signInBrowser } from '../support/sign-in.ts';

const test = suite('passkeys over HTTP');

/** The address that the configuration gives the server: a host by its address has no passkeys. */
const BASE_URL = 'https://push.example.com';

const withPasskeys = (use: (api: Api) => Promise<void>): Promise<void> => withApi(use, { baseUrl: BASE_URL });

async function challengeOf(api: Api): Promise<string> {
  const { status, body } = await api.request('/api/v1/passkeys/challenge', { method: 'POST' });
  assert.is(status, 200);
  return String(body.challenge);
}

function add(api: Api, key: string, passkey: object): Promise<Reply> {
  return api.request('/api/v1/passkeys', { method: 'POST', key, body: { name: 'Phone', passkey } });
}

/** Returns a passkey of a new authenticator, for the person of this token. */
async function aPasskey(api: Api, key: string, origin = BASE_URL): Promise<Authenticator> {
  const authenticator = new Authenticator(origin);
  const { status } = await add(api, key, authenticator.made(await challengeOf(api)));
  assert.is(status, 201);
  return authenticator;
}

function signInBy(api: Api, passkey: object): Promise<Reply> {
  return api.request('/api/v1/session', { method: 'POST', body: { passkey } });
}

function tokenIn({ status, body }: Reply): string {
  assert.is(status, 201);
  return (body.session as { token: string }).token;
}

// The first one, as Node warns once in a process.
test('Passkeys are added and sign in without a warning of Node’s', () =>
  withPasskeys(async (api) => {
    const warnings: string[] = [];
    const note = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
    process.on('warning', note);
    try {
      const phone = await aPasskey(api, await aPerson(api, ADA, { role: 'owner' }));
      assert.is((await signInBy(api, phone.signed(await challengeOf(api)))).status, 201);
    } finally {
      process.off('warning', note);
    }
    assert.equal(warnings, []);
  }));

test('A passkey signs in whom it is of, once for each challenge', () =>
  withPasskeys(async (api) => {
    const phone = await aPasskey(api, await aPerson(api, ADA, { role: 'owner' }));
    await api.join(BOB);
    const answer = phone.signed(await challengeOf(api));
    const reply = await signInBy(api, answer);
    assert.equal([reply.status, (reply.body.user as { email: string }).email], [201, ADA]);
    const again = await signInBy(api, answer);
    assert.equal([again.status, again.body.code], [401, 'wrong_passkey']);
  }));

test('An answer counts for our own pages, challenges, keys, and people who were verified', () =>
  withPasskeys(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const phone = await aPasskey(api, key);
    const elsewhere = new Authenticator('https://evil.example.com', 'push.example.com');
    const wrong = [
      new Authenticator(BASE_URL).signed(await challengeOf(api)),
      phone.signed(Buffer.alloc(56).toString('base64url')),
      phone.signed(await challengeOf(api), 0x01),
      elsewhere.signed(await challengeOf(api)),
      { id: 'nothing', response: {} },
      { ...phone.signed(await challengeOf(api)), response: { clientDataJSON: 'e30' } },
    ];
    for (const passkey of wrong) assert.is((await signInBy(api, passkey)).body.code, 'wrong_passkey');
    const added = [
      elsewhere.made(await challengeOf(api)),
      new Authenticator(BASE_URL).made(Buffer.alloc(56).toString('base64url')),
      new Authenticator(BASE_URL).made(await challengeOf(api), 'packed'),
    ];
    for (const passkey of added) assert.is((await add(api, key, passkey)).body.code, 'wrong_passkey');
  }));

test('An answer that was asked for in a frame of another site does not count', () =>
  withPasskeys(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const phone = await aPasskey(api, key);
    const framed = new Authenticator(BASE_URL);
    for (const page of [{ crossOrigin: true }, { crossOrigin: true, topOrigin: 'https://evil.example' }]) {
      [phone.page, framed.page] = [page, page];
      assert.is((await signInBy(api, phone.signed(await challengeOf(api)))).body.code, 'wrong_passkey');
      assert.is((await add(api, key, framed.made(await challengeOf(api)))).body.code, 'wrong_passkey');
    }
    // Older browsers do not say it.
    phone.page = {};
    assert.is((await signInBy(api, phone.signed(await challengeOf(api)))).status, 201);
  }));

test('A counter that does not increase shows a copy and is refused', () =>
  withPasskeys(async (api) => {
    const phone = await aPasskey(api, await aPerson(api, ADA, { role: 'owner' }));
    phone.counter = 5;
    assert.is((await signInBy(api, phone.signed(await challengeOf(api)))).status, 201);
    assert.is((await signInBy(api, phone.signed(await challengeOf(api)))).status, 401);
    phone.counter = 6;
    assert.is((await signInBy(api, phone.signed(await challengeOf(api)))).status, 201);
  }));

test('Passkeys are listed and removed by their person, and sign in no more', () =>
  withPasskeys(async (api) => {
    const key = await aPerson(api, ADA, { role: 'owner' });
    const phone = await aPasskey(api, key);
    const other = await aPerson(api, BOB);
    const { body } = await api.request('/api/v1/passkeys', { key });
    const [listed] = body.passkeys as readonly { id: string; name: string }[];
    assert.is(listed?.name, 'Phone');
    assert.equal((await api.request('/api/v1/passkeys', { key: other })).body.passkeys, []);
    const path = `/api/v1/passkeys/${listed?.id}`;
    assert.is((await api.request(path, { method: 'DELETE', key: other })).status, 404);
    assert.is((await api.request(path, { method: 'DELETE', key })).status, 204);
    assert.is((await signInBy(api, phone.signed(await challengeOf(api)))).status, 401);
  }));

test('A passkey that is made in a session reaches as far as that, and neither sees nor confirms what reaches further', () =>
  withPasskeys(async (api) => {
    await api.addWorkspace('umbrella');
    const admin = await aPerson(api, CARL, { role: 'admin' });
    await api.join(BOB);
    const made = await api.request(`/api/v1/workspaces/acme/members/${encodeURIComponent(BOB)}/pairing`, {
      method: 'POST',
      key: admin,
    });
    const body = { pairing_code: made.body.pairing_code };
    const held = tokenIn(await api.request('/api/v1/session', { method: 'POST', body }));
    const kept = await aPasskey(api, held);
    await api.join(BOB, { workspace: 'umbrella', role: 'owner' });
    await aPasskey(api, await signIn(api, BOB));
    const token = tokenIn(await signInBy(api, kept.signed(await challengeOf(api))));
    assert.is((await api.request('/api/v1/workspaces/umbrella/members', { key: token })).status, 404);
    const listed = await api.request('/api/v1/passkeys', { key: token });
    assert.is((listed.body.passkeys as readonly unknown[]).length, 1);
    const cookie = await signInBrowser(api, BOB);
    const passkey = kept.signed(await challengeOf(api));
    const confirmed = await api.request('/api/v1/session/confirmation', { method: 'POST', cookie, body: { passkey } });
    assert.equal([confirmed.status, confirmed.body.code], [403, 'proof_too_narrow']);
  }));

test("A member's passkey confirms their identity, and one of another person does not", () =>
  withPasskeys(async (api) => {
    const phone = await aPasskey(api, await aPerson(api, ADA, { role: 'owner' }));
    const ofBob = await aPasskey(api, await aPerson(api, BOB));
    const cookie = await signInBrowser(api, ADA);
    letProofsExpire(api.dataDir);
    const confirm = async (by: Authenticator) => {
      const body = { passkey: by.signed(await challengeOf(api)) };
      return (await api.request('/api/v1/session/confirmation', { method: 'POST', cookie, body })).status;
    };
    const pair = async () => (await api.request('/api/v1/session/pairing', { method: 'POST', cookie })).status;
    assert.equal([await pair(), await confirm(ofBob), await pair()], [401, 401, 401]);
    assert.equal([await confirm(phone), await pair()], [204, 201]);
  }));

test.run();
