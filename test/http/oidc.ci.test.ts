import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { checkSignIn } from '../../src/host/doctor/doctor.ts';
import { statusAt } from '../../src/host/doctor/server.ts';
import { systemClock } from '../../src/process/clock.ts';
import type { Finding } from '../../src/process/finding.ts';
import { packageVersion } from '../../src/process/package.ts';
import { socketPath } from '../../src/store/data-folder.ts';
import { ADA, BOB, EVE } from '../support/cast.ts';
import { holdPort } from '../support/free-port.ts';
import { aProvider, CLIENT_SECRET } from '../support/oidc.ts';
import {
  ask,
  BEGIN,
  CALLBACK,
  codeIn,
  goRound,
  type OidcScene,
  PUSH,
  redeem,
  signInBy,
  VERIFIED,
  whyIn,
  withOidc,
} from '../support/oidc-scene.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { type Env, serveHere } from '../support/server.ts';
import { codeFor, letProofsExpire } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

const test = suite('sign-in by a provider');
const COOKIE = '__Host-pushctl-oidc';

/** Returns the findings of the running server. */
async function findingsOf({ env }: Pick<OidcScene, 'env'>): Promise<readonly Finding[]> {
  const status = await statusAt(socketPath(String(env.PUSHCTL_DATA_DIR)), packageVersion());
  return status?.findings ?? [];
}

test('A sign-in at the provider is a sign-in here, as the member with the verified address', () =>
  withOidc(async (scene) => {
    const { status, email, walker } = await signInBy(scene, 'ada');
    assert.equal([status, email], [201, ADA]);
    const { body } = await ask(scene, walker, '/session');
    assert.equal((body.workspaces as object[]).length, 1);
    const { entries } = granted(await scene.team.store.listAudit({ action: 'member.link', limit: 10 }));
    assert.equal(
      entries.map(({ object, actor }) => [object, actor.name]),
      [[ADA, 'pushctl']],
    );
  }));

test('The cookie of a round trip is out of reach of scripts and other hosts, and gone in ten minutes', () =>
  withOidc(async ({ server }) => {
    const { status, headers } = await fetch(`${server.url}/api/v1/session/oidc`, { redirect: 'manual' });
    assert.is(status, 303);
    const [cookie = '', ...others] = headers.getSetCookie();
    assert.equal(others, []);
    assert.match(
      cookie,
      /^__Host-pushctl-oidc=[\w-]+\.[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    const asked = new URL(headers.get('location') ?? '').searchParams;
    assert.is(asked.get('redirect_uri'), CALLBACK);
    assert.is(asked.get('code_challenge_method'), 'S256');
    assert.ok(asked.get('state') && asked.get('nonce') && !asked.has('max_age'));
  }));

test('An address that was not verified links no member, unless the operator trusts the provider with it', async () => {
  const unverified = { email: ADA, email_verified: false };
  await withOidc(async (scene) => {
    for (const email_verified of [false, undefined, 'true', 1]) {
      scene.provider.accounts.set('mallory', { email: ADA, email_verified });
      assert.is(whyIn(await goRound(scene.walker(), 'mallory')), 'unverified');
    }
  });
  await withOidc(
    async (scene) => {
      scene.provider.accounts.set('ada', unverified);
      assert.is((await signInBy(scene, 'ada')).email, ADA);
    },
    { PUSHCTL_OIDC_TRUST_EMAIL: 'true' },
  );
});

test('A name links no member, nor does an address that looks like another', () =>
  withOidc(async (scene) => {
    await scene.team.join('kim@example.com');
    const { accounts } = scene.provider;
    accounts.set('ada@example.com', { name: ADA });
    accounts.set('kelvin', { email: '\u212aim@example.com', email_verified: true });
    accounts.set('blank', { email: ` ${ADA}`, email_verified: true });
    assert.is(whyIn(await goRound(scene.walker(), 'ada@example.com')), 'unverified');
    assert.is(whyIn(await goRound(scene.walker(), 'kelvin')), 'unverified');
    assert.is(whyIn(await goRound(scene.walker(), 'blank')), 'unverified');
  }));

test('A stranger is refused as no member and logged, and nothing is created', () =>
  withOidc(async (scene) => {
    scene.provider.accounts.set('eve', { email: EVE, email_verified: true });
    assert.is(whyIn(await goRound(scene.walker(), 'eve')), 'not_member');
    const { entries } = granted(await scene.team.store.listAudit({ limit: 10 }));
    assert.equal(
      entries.filter(({ action }) => action === 'member.link-refused').map(({ object, actor }) => [object, actor.name]),
      [[`${EVE}: not a member`, 'pushctl']],
    );
    const members = granted(await scene.team.store.listMembers({ workspace: 'acme' }));
    assert.equal(
      members.map(({ email }) => email),
      [ADA],
    );
  }));

test('An identity stays the same person after its address changes, and roles stay ours', () =>
  withOidc(async (scene) => {
    await scene.team.join(BOB);
    await signInBy(scene, 'ada');
    scene.provider.accounts.set('ada', { email: BOB, email_verified: true });
    assert.is((await signInBy(scene, 'ada')).email, ADA);
    scene.provider.accounts.set('ada', {});
    assert.is((await signInBy(scene, 'ada')).email, ADA);
  }));

test('Another account that comes to the address does not take its member over, until an operator unlinks it', () =>
  withOidc(async (scene) => {
    const first = await signInBy(scene, 'ada');
    scene.provider.accounts.set('other', VERIFIED);
    assert.is(whyIn(await goRound(scene.walker(), 'other')), 'linked_already');
    const [known] = granted(await scene.team.store.listIdentities({ email: ADA }));
    assert.equal([known?.issuer, known?.subject], [scene.provider.issuer, 'ada']);
    const done = granted(await scene.team.store.unlinkIdentities({ email: ADA }));
    assert.equal([done.unlinked, done.closed], [1, 1]);
    assert.is((await ask(scene, first.walker, '/session')).status, 401);
    assert.is((await signInBy(scene, 'other')).email, ADA);
  }));

test('A removed person is no member, even with a known identity', () =>
  withOidc(async (scene) => {
    await scene.team.join(BOB);
    scene.provider.accounts.set('bob', { email: BOB, email_verified: true });
    const { walker } = await signInBy(scene, 'bob');
    granted(await scene.team.store.removeMember({ workspace: 'acme', email: BOB }));
    assert.is((await ask(scene, walker, '/session')).status, 401);
    assert.is(whyIn(await goRound(scene.walker(), 'bob')), 'not_member');
  }));

test('A callback counts in the browser that began, with the state that it was given, once', () =>
  withOidc(async (scene) => {
    const victim = scene.walker();
    const attacker = scene.walker();
    let callback = '';
    attacker.detour = (address) => {
      if (address.href.startsWith(CALLBACK)) callback = address.href;
      return callback === '' ? address : new URL(`${PUSH}/#stopped`);
    };
    await goRound(attacker, 'ada');
    assert.match(callback, /[?&]code=/);
    assert.is(whyIn((await victim.go(callback)).address), 'other_browser');
    await victim.go(BEGIN);
    assert.is(whyIn((await victim.go(callback)).address), 'other_browser');

    attacker.detour = (address) => address;
    const jar = new Map(attacker.cookies.get(PUSH));
    codeIn((await attacker.go(callback)).address);
    assert.is(whyIn((await attacker.go(callback)).address), 'other_browser');
    attacker.cookies.set(PUSH, jar); // As if it had kept the cookie.
    assert.is(whyIn((await attacker.go(callback)).address), 'refused');
  }));

test('A made-up answer is refused before the provider is asked', () =>
  withOidc(async (scene) => {
    const walker = scene.walker();
    await walker.go(BEGIN);
    const [own = ''] = [...(walker.cookies.get(PUSH)?.values() ?? [])];
    const [content = '', mark = ''] = own.split('.');
    const trip = JSON.parse(Buffer.from(content, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...trip, confirms: true, beganAtMs: 0 })).toString('base64url');
    const asked = scene.provider.asked.length;
    const tries: [string | null, string][] = [
      [null, trip.state],
      ['', trip.state],
      ['nonsense', trip.state],
      [`${forged}.${mark}`, trip.state],
      [`${content}.`, trip.state],
      [own, 'x'.repeat(43)],
      [own, ''],
    ];
    for (const [cookie, state] of tries) {
      walker.cookies.set(PUSH, new Map(cookie === null ? [] : [[COOKIE, cookie]]));
      assert.is(whyIn((await walker.go(`${CALLBACK}?code=made-up&state=${state}`)).address), 'other_browser');
    }
    assert.is(scene.provider.asked.length, asked);
  }));

test('A nonce, a challenge or an issuer that was exchanged on the way is refused', () =>
  withOidc(async (scene) => {
    const exchanged = async (at: string, name: string, value: string) => {
      const walker = scene.walker();
      walker.detour = (address) => {
        if (address.href.startsWith(at) && address.searchParams.has(name)) address.searchParams.set(name, value);
        return address;
      };
      return whyIn(await goRound(walker, 'ada'));
    };
    const asking = `${scene.provider.issuer}/auth?`;
    assert.is(await exchanged(asking, 'nonce', 'x'.repeat(43)), 'refused');
    assert.is(await exchanged(asking, 'code_challenge', 'x'.repeat(43)), 'refused');
    assert.is(await exchanged(CALLBACK, 'iss', 'https://evil.example.com'), 'refused');
    assert.is(await exchanged(CALLBACK, 'code', 'made-up'), 'refused');
  }));

test('The code signs in once, in this browser alone, and is none that can be typed', () =>
  withOidc(async (scene) => {
    const walker = scene.walker();
    const code = codeIn(await goRound(walker, 'ada'));
    const elsewhere = await redeem(scene, scene.walker(), code);
    assert.equal([elsewhere.status, elsewhere.code], [401, 'wrong_pairing_code']);
    const other = scene.walker();
    codeIn(await goRound(other, 'ada'));
    assert.is((await redeem(scene, other, code)).status, 401);
    assert.is((await redeem(scene, walker, code)).status, 201);
    assert.is((await redeem(scene, walker, code)).status, 401);
    // A code of an operator's is never taken for a bound one.
    const typed = await codeFor({ store: scene.team.store }, ADA);
    assert.is((await redeem(scene, walker, `oidc-${typed}`)).status, 401);
    assert.is((await redeem(scene, walker, typed)).status, 201);
  }));

test('Nothing in the address of a callback leads anywhere else', () =>
  withOidc(async (scene) => {
    const walker = scene.walker();
    walker.detour = (address) => {
      for (const name of ['return', 'next', 'redirect_uri']) {
        if (address.href.startsWith(CALLBACK)) address.searchParams.set(name, 'https://evil.example.com');
      }
      return address;
    };
    codeIn(await goRound(walker, 'ada'));
  }));

test('A sign-in that the provider denies is answered as denied', () =>
  withOidc(async (scene) => {
    assert.is(whyIn(await goRound(scene.walker(), '')), 'denied');
  }));

test('A sign-in without a fresh proof at the provider is none here, and a round trip that asks for one is', () =>
  withOidc(async (scene) => {
    const issue = (walker: typeof first) =>
      ask(scene, walker, '/workspaces/acme/keys', { name: 'ci', scopes: ['events:write'] });
    scene.provider.authTimeS = Math.floor(Date.now() / 1_000) - 3_600;
    const { walker: first } = await signInBy(scene, 'ada');
    assert.equal((await issue(first)).body.code, 'confirm_identity');

    const confirmed = async (address: string) =>
      (await ask(scene, first, '/session/confirmation', { pairing_code: codeIn(address, 'confirm') })).status;
    // The provider asks again, though who is there is signed in; and what it asked for an hour ago does not count.
    assert.is(whyIn(await goRound(first, 'ada', `${BEGIN}?confirm=true`)), 'not_fresh');
    scene.provider.authTimeS = null;
    assert.is(await confirmed(await goRound(first, 'ada', `${BEGIN}?confirm=true`)), 204);
    assert.is((await issue(first)).status, 201);

    letProofsExpire(String(scene.env.PUSHCTL_DATA_DIR));
    await scene.team.join(BOB);
    scene.provider.accounts.set('bob', { email: BOB, email_verified: true });
    first.cookies.delete(scene.provider.issuer);
    assert.is(await confirmed(await goRound(first, 'bob', `${BEGIN}?confirm=true`)), 401);
    assert.equal((await issue(first)).body.code, 'confirm_identity');
  }));

test('A code of a sign-in without a fresh proof confirms nothing', () =>
  withOidc(async (scene) => {
    scene.provider.authTimeS = Math.floor(Date.now() / 1_000) - 3_600;
    const { walker } = await signInBy(scene, 'ada');
    const code = codeIn(await goRound(scene.walker(), 'ada'));
    assert.is((await ask(scene, walker, '/session/confirmation', { pairing_code: code })).status, 401);
    // In the same browser, by its provider's session, which asks nothing.
    const again = (await walker.go(BEGIN)).address;
    const second = again.startsWith(PUSH) ? again : await goRound(walker, 'ada');
    const own = { pairing_code: codeIn(second) };
    assert.is((await ask(scene, walker, '/session/confirmation', own)).status, 401);
  }));

test('With `only` a session ends a day after it began, and what is made in it with it', () =>
  withOidc(
    async (scene) => {
      const { walker } = await signInBy(scene, 'ada');
      const endOf = ({ body }: Awaited<ReturnType<typeof ask>>) =>
        Date.parse((body.session as { expires_at: string }).expires_at);
      const end = endOf(await ask(scene, walker, '/session'));
      assert.ok(Math.abs(end - Date.now() - 86_400_000) < 60_000);
      const made = await ask(scene, walker, '/session/pairing', {});
      const phone = await ask(scene, scene.walker(), '/session', { pairing_code: made.body.pairing_code });
      assert.is(endOf(phone), end);
    },
    { PUSHCTL_OIDC_ONLY: 'true' },
  ));

test('Sessions that were opened before `only` end a day after they began', () =>
  withOidc(async (scene) => {
    const { walker } = await signInBy(scene, 'ada');
    await scene.server.stop();
    await using opened = new Resources();
    const server = await serveHere(opened, { ...scene.env, PUSHCTL_OIDC_ONLY: 'true' });
    const { body } = await ask({ server }, walker, '/session');
    const leftMs = Date.parse((body.session as { expires_at: string }).expires_at) - Date.now();
    assert.ok(leftMs > 0 && leftMs <= 86_400_000);
  }));

test('A provider that is down brings the browser back to the app, and is a finding until it answers', () =>
  withOidc(async (scene) => {
    const { port } = new URL(scene.provider.issuer);
    await scene.provider.close();
    const { release } = await holdPort(Number(port));
    const begins = async () => (await scene.walker().go(BEGIN)).address;
    assert.is(whyIn(await begins()), 'unavailable');
    const findings = async () => {
      return (await findingsOf(scene)).filter(({ check }) => check === 'oidc').map(({ message }) => message);
    };
    assert.match(String(await findings()), /cannot be reached: ECONNREFUSED/);
    const again = await aProvider(CALLBACK, Number(port));
    release();
    try {
      await until('it is asked again', async () => !(await begins()).startsWith(PUSH));
      assert.equal(await findings(), []);
    } finally {
      await again.close();
    }
  }));

test('Faults of the provider or the secret are a finding', () =>
  withOidc(async ({ env, provider }) => {
    const findings = async (more: Env) => {
      const found = await checkSignIn(loadConfig({ env: { ...env, ...more } }), systemClock());
      return found.map(({ status, message }) => `${status}: ${message}`);
    };
    assert.match((await findings({})).join(), `ok: ${provider.issuer} answers; register ${CALLBACK}`);
    const other = provider.issuer.replace('127.0.0.1', 'localhost');
    assert.match((await findings({ PUSHCTL_OIDC_ISSUER: other })).join(), `warn: the provider ${other} calls itself`);
    assert.match((await findings({ PUSHCTL_OIDC_CLIENT_SECRET_FILE: '/no/such' })).join(), '/no/such does not exist');
    assert.match((await findings({ PUSHCTL_OIDC_ISSUER: `${provider.issuer}/realm` })).join(), 'it answered 404');
  }));

test('Another secret in the file is taken up, and a wrong one is a finding', () =>
  withOidc(async (scene) => {
    const file = String(scene.env.PUSHCTL_OIDC_CLIENT_SECRET_FILE);
    writeFileSync(file, 'another');
    assert.is(whyIn(await goRound(scene.walker(), 'ada')), 'unavailable');
    assert.match(JSON.stringify(await findingsOf(scene)), /refuses the client id or its secret/);
    writeFileSync(file, CLIENT_SECRET);
    assert.is((await signInBy(scene, 'ada')).email, ADA);
  }));

test('Failed sign-ins are limited for each address, and no other way to sign in suffers', () =>
  withOidc(async (scene) => {
    const walker = scene.walker();
    const failed = async () => {
      const { address } = await walker.go(BEGIN);
      const state = new URL(address.startsWith(PUSH) ? PUSH : address).searchParams.get('state');
      assert.is(state, null);
      const jar = walker.cookies.get(PUSH) ?? new Map<string, string>();
      const [content = ''] = (jar.get(COOKIE) ?? '').split('.');
      const trip = JSON.parse(Buffer.from(content, 'base64url').toString());
      return whyIn((await walker.go(`${CALLBACK}?code=x&state=${trip.state}&iss=${scene.provider.issuer}`)).address);
    };
    for (let nth = 0; nth < 30; nth += 1) assert.is(await failed(), 'refused');
    assert.is(await failed(), 'throttled');
    const paired = await redeem(scene, walker, await codeFor({ store: scene.team.store }, ADA));
    assert.is(paired.status, 201);
  }));

test.run();
