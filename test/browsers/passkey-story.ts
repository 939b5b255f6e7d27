import * as assert from 'uvu/assert';
import { letProofsExpire } from '../support/sign-in.ts';
import { type AppPage, openApp, signIn } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** Signing in and confirming by the finger that unlocks a device, which Chromium plays. */
export function passkeyStory(test: BrowserTest): void {
  test('A passkey is added in the settings, signs in, shows that it is them, and is removed', async (parts, opened) => {
    const { server, team, env } = parts;
    // To a host by its address there are no passkeys.
    const url = server.url.replace('127.0.0.1', 'localhost');
    const app = await openApp(parts.browser, opened);
    await withAuthenticator(app);
    await signIn(app, url, team);
    await app.click('Settings', 'link');
    await app.click('Add a passkey');
    await app.sees('Chrome on Linux');
    await app.click('Add a passkey');
    await app.sees('this device already has one');

    await app.click('Sign out');
    await app.page.evaluate(ASK_LATER);
    await app.click('Sign in with a passkey');
    await app.page.waitForFunction('globalThis.askNow !== undefined');
    await app.sees('Signing in …');
    await app.page.evaluate('askNow()');
    await app.sees('Where you are signed in');

    letProofsExpire(env.PUSHCTL_DATA_DIR ?? '');
    await app.click('Make a code');
    await app.sees('Confirm that it is you');
    await app.click('Use a passkey instead');
    await app.sees('Scan this with the other device');

    await app.click('Remove');
    await app.page.locator('dialog .danger').click();
    await app.page.waitForFunction(`document.querySelector('dialog') === null`);
    await app.click('Sign out');
    await app.click('Sign in with a passkey');
    await app.sees('The passkey is unknown');
    assert.equal(app.faults, []);
  });
}

/** The browser's own dialog is open until `askNow` is called. */
const ASK_LATER = `(() => {
  const { credentials } = navigator;
  const ask = credentials.get.bind(credentials);
  credentials.get = async (wanted) => {
    await new Promise((now) => { globalThis.askNow = now; });
    credentials.get = ask;
    return ask(wanted);
  };
})()`;

/** With resident keys, and a person who always shows the right finger. */
async function withAuthenticator({ page }: AppPage): Promise<void> {
  const client = await page.createCDPSession();
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
