import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { browserName } from '../../../src/web/format/browser-name.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test('A browser is named with its system, even if it pretends to be others', () => {
  const names = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0': 'Firefox on Linux',
    [`Mozilla/5.0 (Linux; Android 16; K) ${WEBKIT} Chrome/156.0 Mobile Safari/537.36`]: 'Chrome on Android',
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/156.0 Safari/537.36 Edg/156.0`]: 'Edge on Windows',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15':
      'Safari on macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 CriOS/156.0 Mobile Safari/604.1':
      'Chrome on iPhone',
  };
  for (const [userAgent, name] of Object.entries(names)) assert.is(browserName(userAgent), name);
});

test('A client that is no browser is named as it names itself', () => {
  assert.is(browserName('Pushctl/2.1 (iPhone)'), 'Pushctl/2.1 on iPhone');
  assert.is(browserName('curl/8.5.0'), 'curl/8.5.0');
  assert.is(browserName(''), '');
});

test.run();
