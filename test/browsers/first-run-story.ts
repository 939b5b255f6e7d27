import * as assert from 'uvu/assert';
import { startDemo } from '../../src/cli/demo/run.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { connectedToPushes, openAppWithPushes } from './app-page.ts';
import type { BrowserTest } from './story.ts';

/** What a user sees who has just installed pushctl. */
export function firstRunStory(test: BrowserTest): void {
  test('Two clicks after the link of the demo, this browser shows its next event', async (parts, opened) => {
    const { webpush } = await parts.sandbox.writeCredentials(temporaryFolder());
    const said: string[] = [];
    const output = { say: (line: string) => said.push(line), posted: () => {}, arrived: () => {} };
    const demo = await startDemo({ folder: temporaryFolder(), port: await freePort(), webpush }, output);
    opened.onEnd(() => demo.stop());
    const [link = ''] = /^http:.*#pair=.*$/m.exec(said.join('\n')) ?? [];
    const app = await openAppWithPushes(parts.browser, new URL(link).origin, opened);
    await app.page.goto(link);
    await app.click('Sign in');
    await app.becomeDevice();
    await connectedToPushes(parts.sandbox);
    await app.notified('This browser is a device now');
    await app.sees('Choose channels');
    assert.equal(app.faults, []);
  });
}
