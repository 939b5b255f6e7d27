import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../src/process/clock.ts';
import type { ApnsSettings } from '../../../src/providers/apns/credentials.ts';
import { apnsProbe } from '../../../src/providers/apns/probe.ts';
import { TokenKeeper } from '../../../src/providers/signing/tokens.ts';
import { assertEach } from '../../support/assert-each.ts';
import { type ProviderInTest, settingsOf, withProvider } from '../../support/providers.ts';
import { aBatch, aTarget } from '../../support/pushes.ts';
import { Resources } from '../../support/resources.ts';
import { aSandbox } from '../../support/sandbox.ts';

const PARTNER = 'com.example.partner';
const BETA = 'com.example.beta';

test('a push goes to the topic of the app that its device named, else to the first', () =>
  withApps([PARTNER, BETA], async ({ sandbox, outcomes }) => {
    const tokens = [undefined, PARTNER, BETA, undefined].map((app) => tokenOf(sandbox, app));
    assert.equal(
      await outcomes([tokens[0], null], [tokens[1], PARTNER], [tokens[2], BETA], [tokens[3], sandbox.topic]),
      [...Array.from({ length: 4 }, () => ({ kind: 'accepted' }))],
    );
    const topics = new Map(sandbox.pushes.map(({ token, headers }) => [token, headers['apns-topic']]));
    assertEach(tokens, (token) => topics.get(String(token)), [sandbox.topic, PARTNER, BETA, sandbox.topic]);
    const ids = new Set(sandbox.pushes.map(({ headers }) => headers['apns-collapse-id']));
    assert.is(ids.size, 1, 'all else of an event is the same for all of its apps');
  }));

test('nothing is sent to a device of an app that is not configured, and its push is held', () =>
  withApps([PARTNER], async ({ sandbox, outcomes }) => {
    const [gone, good] = await outcomes([tokenOf(sandbox, BETA), BETA], [tokenOf(sandbox), null]);
    assert.equal(gone, { kind: 'held', reason: 'app_not_configured', isSent: true, retryAfterS: 300 });
    assert.equal(good, { kind: 'accepted' });
    assert.equal(sandbox.counts, { accepted: 1, refused: 0 });
  }));

test('if one app alone is configured, a device of another app is held as well', () =>
  withApps([], async ({ sandbox, outcomes }) => {
    const [outcome] = await outcomes([tokenOf(sandbox), PARTNER]);
    assert.is(outcome?.kind === 'held' && outcome.reason, 'app_not_configured');
  }));

test('a topic that the key may not send to holds up the pushes of its app alone', () =>
  withApps(
    [PARTNER],
    async ({ sandbox, outcomes }) => {
      const targets = Array.from({ length: 40 }, (_, n) => (n % 2 ? null : 'com.example.foreign'));
      const results = await outcomes(...targets.map((app) => [tokenOf(sandbox), app] as const));
      assertEach(
        results,
        ({ kind }) => kind,
        targets.map((app) => (app === null ? 'accepted' : 'held')),
      );
      assert.ok(
        results.every(
          (outcome) => outcome.kind === 'accepted' || ('reason' in outcome && outcome.reason === 'TopicDisallowed'),
        ),
      );
    },
    ['com.example.foreign'],
  ));

test('a token of another app is in doubt only once its own app was seen to be right', () =>
  withApps([PARTNER], async ({ sandbox, outcomes }) => {
    const stray = [tokenOf(sandbox, PARTNER), null] as const;
    const refused = { reason: 'DeviceTokenNotForTopic' };
    const [, first] = await outcomes([tokenOf(sandbox, PARTNER), PARTNER], stray);
    assert.equal(first, { kind: 'held', ...refused, isSent: true, retryAfterS: 300 }, 'another app proves nothing');
    await outcomes([tokenOf(sandbox), null]);
    assert.equal(await outcomes(stray), [{ kind: 'unregistered', ...refused, quarantine: true }]);
  }));

test('doctor asks for each app, and names the one that the key may not send to', async () => {
  await using opened = new Resources();
  const sandbox = opened.add(await aSandbox({ topics: [PARTNER] }));
  const clock = systemClock();
  const ask = (settings: Partial<ApnsSettings>) =>
    apnsProbe.ask('apns_production', { ...settingsOf(sandbox).apns, ...settings }, clock, new TokenKeeper(clock));
  assert.equal(await ask({}), { works: `accepts pushes with this key for ${sandbox.topic} and ${PARTNER}` });
  assert.equal(await ask({ topics: [] }), { works: 'accepts pushes with this key' });
  assert.equal(await ask({ topics: [PARTNER, BETA] }), {
    refused: { kind: 'unauthorized', reason: 'TopicDisallowed' },
    to: BETA,
  });
});

test.run();

type Sent = readonly [token: string | undefined, app: string | null];

/** `foreign`: topics that are configured, but not of the team. */
function withApps(
  topics: readonly string[],
  use: (
    parts: ProviderInTest & { outcomes(...devices: readonly Sent[]): ReturnType<ProviderInTest['send']> },
  ) => Promise<void>,
  foreign: readonly string[] = [],
): Promise<void> {
  const settings: Parameters<typeof withProvider>[2] = {
    topics,
    settings: ({ apns }) => ({ apns: { ...apns, topics: [...topics, ...foreign] } }),
  };
  return withProvider(
    'apns_production',
    (parts) => {
      const outcomes = async (...devices: readonly Sent[]) => {
        const targets = devices.map(([token = '', app], deviceId) =>
          aTarget({ token, deviceId, keys: app === null ? null : JSON.stringify({ app }) }),
        );
        const sent = await parts.provider.send(aBatch({ targets }));
        return [...sent].sort((a, b) => a.deviceId - b.deviceId).map(({ outcome }) => outcome);
      };
      return use({ ...parts, outcomes });
    },
    settings,
  );
}

function tokenOf({ token }: ProviderInTest['sandbox'], app?: string): string {
  return token({ platform: 'ios', ...(app !== undefined && { app }) });
}
