import * as assert from 'uvu/assert';
import type { BrowserSubscription } from '../../src/contract/addresses/address.ts';
import { OUR_KEYS, postWebPush } from '../support/web-push.ts';
import { openPage } from './browser.ts';
import { browserSuite, pushStory } from './story.ts';

const firefox = browserSuite('firefox', pushStory);

firefox.test(
  'When its service has forgotten it, its worker subscribes anew, and pushes go on',
  async ({ browser, sandbox }, opened) => {
    const page = await openPage(browser, OUR_KEYS.publicKey, opened);
    const before = await page.subscribe();
    sandbox.webpush.firefox.browsers.forget();
    const { subscription } = await page.heard({ replaced: before.endpoint });
    const payload = { notification: { title: 'After the loss', body: '', tag: 'evt_1' } };
    assert.is((await postWebPush(sandbox, before, { payload })).status, 410);
    assert.is((await postWebPush(sandbox, subscription as BrowserSubscription, { payload })).status, 201);
    await page.heard({ shown: 'After the loss' });
  },
);

firefox.run();
