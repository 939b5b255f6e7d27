import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { aSandbox } from '../support/sandbox.ts';
import { postApnsOnce } from '../support/vendor-clients.ts';

test('a rule answers before the token does, the given number of times or until it is removed', async () => {
  await using sandbox = await aSandbox();
  const post = async () =>
    JSON.parse((await postApnsOnce(sandbox, sandbox.apns.productionUrl, token)).text || '{}').reason;
  const token = sandbox.token({ platform: 'ios' });
  const takeBack = sandbox.behave({
    match: { endpoint: 'apns_production' },
    answer: { kind: 'refuse', reason: 'InvalidProviderToken' },
  });
  sandbox.behave({ match: { token: token.slice(0, 20) }, answer: { kind: 'refuse', reason: 'Shutdown' }, times: 1 });
  sandbox.behave({ match: { endpoint: 'fcm' }, answer: { kind: 'reset' } });
  assert.equal(
    [await post(), await post(), await post()],
    ['Shutdown', 'InvalidProviderToken', 'InvalidProviderToken'],
  );
  takeBack();
  assert.is(await post(), undefined);
});

test.run();
