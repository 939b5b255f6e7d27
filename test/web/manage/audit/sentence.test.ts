import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CALLS } from '../../../../src/store/calls.ts';
import { sentenceOf } from '../../../../src/web/manage/audit/sentence.ts';
import { audit as german } from '../../../../src/web/texts/de/workspace.ts';
import { audit as texts } from '../../../../src/web/texts/workspace.ts';

test('A role that an entry names is said in German as well', () => {
  const sentence = (action: 'member.add' | 'member.role', who: string) => german.did?.[action]?.(who);
  assert.is(sentence('member.add', 'bob@example.com as admin'), 'hat bob@example.com als Admin aufgenommen');
  assert.is(sentence('member.role', 'bob@example.com as owner'), 'hat bob@example.com als Inhaber eingesetzt');
});

test('An entry is a sentence that names its key', () => {
  assert.is(sentenceOf({ action: 'key.revoke', object: '7m3q0f9t2xkd "ci"' }), 'revoked the API key ci');
  assert.is(sentenceOf({ action: 'key.rotate', object: 'old0 to new0 "ci", new1 revoked' }), 'rotated the API key ci');
  assert.is(
    sentenceOf({ action: 'channel.update', object: 'deploys: active, "Deploys"' }),
    'changed a channel: deploys: active, "Deploys"',
  );
  const names = new Map([
    ['deploys', 'Deployments'],
    ['on-call', 'On call'],
  ]);
  const sentence = (action: string, object: string) => sentenceOf({ action, object }, names);
  assert.is(sentence('channel.delete', 'deploys'), 'deleted the channel Deployments');
  assert.is(sentence('channel.delete', 'gone'), 'deleted the channel gone');
  assert.is(sentence('event.send', 'evt_01 to on-call'), 'sent the event evt_01 to On call');
  assert.is(sentence('alert.resolve', 'evt_01 of deploys'), 'resolved the alert evt_01 of Deployments');
  assert.is(
    sentence('device.subscribe', 'dev_1 to deploys, on-call'),
    'subscribed the device dev_1 to Deployments, On call',
  );
  assert.is(
    sentence('alert.escalate', 'evt_01 of deploys, to on-call'),
    'escalated the alert evt_01 of Deployments, to On call',
  );
  assert.is(
    sentence('alert.acknowledge', '3 alerts of deploys, up to evt_03'),
    'acknowledged the alert evt_03 of Deployments and 2 others',
  );
  assert.is(
    sentence('heartbeat.change', 'backup on deploys, "Copy of deploys"'),
    'changed the heartbeat backup on Deployments, "Copy of deploys"',
  );
  assert.is(
    sentence('maintenance.add', 'mnt_7m3q of deploys, 2026-11-21T10:00:00 to 2026-11-21T12:00:00'),
    'added the maintenance mnt_7m3q of Deployments, 2026-11-21T10:00:00 – 2026-11-21T12:00:00',
  );
  assert.is(
    sentence('maintenance.change', 'mnt_7m3q of deploys, by 0 3 * * * (UTC)'),
    'changed the maintenance mnt_7m3q of Deployments, 0 3 * * * (UTC)',
  );
  assert.is(sentence('maintenance.end', 'mnt_7m3q of deploys'), 'ended the maintenance mnt_7m3q of Deployments');
  assert.is(sentence('member.role', 'deploys as admin'), 'set the role of deploys as admin', 'that is no channel');
  assert.is(sentenceOf({ action: 'moon.paint', object: 'red' }), 'did moon.paint: red');
});

test('Each action of a workspace that the store writes down has a sentence', () => {
  const written = Object.values(CALLS)
    .map(({ audit }) => /change\)?\('([a-z.-]+)'/.exec(String(audit ?? ''))?.[1])
    .filter((action) => action !== undefined && !/^(?:plan|route|backup|queue)\.|^device\.prune/.test(action));
  assert.ok(written.length > 15);
  const sentences: readonly string[] = Object.keys(texts.did);
  assert.equal(
    written.filter((action) => !sentences.includes(String(action))),
    [],
  );
});

test.run();
