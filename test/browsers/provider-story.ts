import * as assert from 'uvu/assert';
import { freePort } from '../support/free-port.ts';
import { aProvider, oidcEnv, type TestProvider } from '../support/oidc.ts';
import { VERIFIED } from '../support/oidc-scene.ts';
import type { Resources } from '../support/resources.ts';
import { type Env, startTestServer, type TestServer } from '../support/server.ts';
import { codeFor, letProofsExpire } from '../support/sign-in.ts';
import { type AppPage, openApp } from './app-page.ts';
import type { BrowserInTest, BrowserTest } from './story.ts';

/** Signing in and confirming by a provider, which is another site for the browser. */
export function providerStory(test: BrowserTest): void {
  test('A sign-in at the provider leads into the app, to the wanted page', async (parts, opened) => {
    const { app, url } = await scene(parts, opened);
    await app.page.goto(`${url}/settings`);
    await app.click('Sign in with Example');
    await at(app, 'ada');
    await app.sees('Where you are signed in');
    assert.is(await app.isAt('/settings'), '/settings');
    assert.is(await app.page.evaluate('location.hash'), '');

    // Back at the provider, who is signed in there is asked nothing.
    await app.click('Sign out');
    await app.click('Sign in with Example');
    await app.sees('Where you are signed in');
    assert.equal(app.faults, []);
  });

  test('A risky action asks for a fresh proof, and the provider for the person', async (parts, opened) => {
    const { app, url, env, provider } = await scene(parts, opened);
    await app.page.goto(`${url}/settings`);
    await app.click('Sign in with Example');
    await at(app, 'ada');
    await app.sees('Where you are signed in');
    letProofsExpire(String(env.PUSHCTL_DATA_DIR));
    await app.click('Make a code');
    await app.sees('Confirm that it is you');
    await app.click('Confirm with Example');
    await at(app, 'ada');
    await app.sees('This is valid for ten minutes');
    await app.click('Go back');
    await app.click('Make a code');
    await app.sees('Scan this with the other device');
    assert.ok(provider.asked.filter((path) => path.startsWith('/interaction/')).length >= 4);
    assert.equal(app.faults, []);
  });

  test('A stranger, or a person with the code of another browser, learns what to do', async (parts, opened) => {
    const { app, url, team, provider } = await scene(parts, opened);
    provider.accounts.set('eve', { email: 'eve@example.com', email_verified: true });
    await app.page.goto(url);
    await app.click('Sign in with Example');
    await at(app, 'eve');
    await app.sees('no workspace here has a member with your email address');
    await app.click('Go to the app');

    await app.page.goto(`${url}/?bound#pair=oidc-${'x'.repeat(32)}`);
    await app.sees('The pairing code is wrong');
    // One of an operator's that is passed off as bound.
    await app.page.goto(`${url}/?again#confirm=${await codeFor(team, team.owner)}`);
    await app.sees('You are not signed in');
    assert.equal(app.faults, []);
  });

  test('If the provider is down, the sign-in says what to do, and a code still works', async (parts, opened) => {
    const { app, url, team, provider } = await scene(parts, opened);
    await provider.close();
    await app.page.goto(url);
    await app.click('Sign in with Example');
    await app.sees('operator can give you a pairing code');
    await app.click('Go to the app');
    await app.page.locator('[name="code"]').fill(await codeFor(team, team.owner));
    await app.page.evaluate(`new MutationObserver(() => { window.hasFlashed ||= document.querySelector('nav') !== null })
      .observe(document.body, { childList: true, subtree: true })`);
    await app.page.locator('[type="submit"]').click();
    await app.sees('Go to the inbox');
    assert.is(await app.page.evaluate('window.hasFlashed'), false, 'the app before the welcome');
    await app.click('Go to the inbox');
    await app.page.waitForSelector('nav');
    assert.equal(app.faults, []);
  });

  test('With the provider alone there is its button, and a code for when it is down', async (parts, opened) => {
    const { app, url, team } = await scene(parts, opened, { PUSHCTL_OIDC_ONLY: 'true' });
    await app.page.goto(url);
    await app.sees('Sign in with Example');
    await app.seesNo('With a password');
    await app.seesNo('passkey');
    await app.page.locator('summary').click();
    await app.page.locator('[name="code"]').fill(await codeFor(team, team.owner));
    await app.page.locator('details [type="submit"]').click();
    await app.click('Go to the inbox');
    await app.click('Settings', 'link');
    await app.sees('Where you are signed in');
    await app.seesNo('Change the password');
    assert.equal(app.faults, []);
  });
}

/** The provider's page, which asks who is there. */
async function at({ page }: AppPage, account: string): Promise<void> {
  await page.locator(`button[value="${account}"]`).click();
}

async function scene(
  { browser }: BrowserInTest,
  opened: Resources,
  env: Env = {},
): Promise<TestServer & { readonly app: AppPage; readonly url: string; readonly provider: TestProvider }> {
  const port = await freePort();
  // Another site than 127.0.0.1, where the provider is.
  const url = `http://localhost:${port}`;
  const provider = opened.add(await aProvider(`${url}/api/v1/session/oidc/callback`));
  provider.accounts.set('ada', VERIFIED);
  const started = await startTestServer(opened, {
    env: { ...oidcEnv(provider), PUSHCTL_LISTEN: `127.0.0.1:${port}`, PUSHCTL_BASE_URL: `${url}/api`, ...env },
  });
  return { ...started, app: await openApp(browser, opened), url, provider };
}
