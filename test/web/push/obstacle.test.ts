import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { obstacleIn, type Surroundings } from '../../../src/web/push/obstacle.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15';
const TAB_ON_IOS = { userAgent: IPHONE, hasPush: false, permission: undefined };

test('A browser that has all it takes can be asked', () => {
  assert.is(obstacle({}), null);
  assert.is(obstacle({ permission: 'granted' }), null);
});

test('An address without encryption is reported before all else, as nothing else helps there', () => {
  assert.is(obstacle({ isSecureContext: false, ...TAB_ON_IOS }), 'insecure');
});

test('On iOS the app is to be installed first, and is then like any browser', () => {
  assert.is(obstacle(TAB_ON_IOS), 'install-first');
  assert.is(obstacle({ userAgent: IPHONE, isInstalled: true }), null);
});

test('An iPad is distinguished from a Mac, as which it presents itself', () => {
  assert.is(obstacle({ ...TAB_ON_IOS, userAgent: MAC, touchPoints: 5 }), 'install-first');
  assert.is(obstacle({ userAgent: MAC, touchPoints: 0 }), null);
});

test('A browser without pushes or notifications is distinguished from a browser that blocks them', () => {
  assert.is(obstacle({ hasPush: false }), 'unsupported');
  assert.is(obstacle({ permission: undefined }), 'unsupported');
  assert.is(obstacle({ permission: 'denied' }), 'denied');
});

test.run();

function obstacle(differs: Partial<Surroundings>) {
  return obstacleIn({
    isSecureContext: true,
    hasPush: true,
    permission: 'default',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
    touchPoints: 0,
    isInstalled: false,
    ...differs,
  });
}
