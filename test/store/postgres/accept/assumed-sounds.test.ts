import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AssumedSounds } from '../../../../src/store/postgres/accept/assumed-sounds.ts';
import { NOW_MS } from '../../../support/store.ts';

const SOUND = '{"quiet":null,"rings":null,"windows":[],"ringAfterS":60}';

function eventOn(channel: string) {
  return { isCheck: false, args: { workspaceId: 1, channel, urgency: 'standard', collapseKey: null } } as const;
}

test('the settings of a channel in use stay assumed, however many other channels are learned', () => {
  const sounds = new AssumedSounds();
  const event = eventOn('busy');
  sounds.learn(event.args, SOUND, NOW_MS);
  for (let nth = 0; nth < 20_000; nth += 1) {
    sounds.learn(eventOn(`other-${nth}`).args, SOUND, NOW_MS);
    if (nth % 1_000 === 0) sounds.decide([event], [event], NOW_MS);
  }
  assert.equal(sounds.decide([event], [event], NOW_MS).values[0], [SOUND]);
});

test('settings are forgotten by their length, so that long ones do not fill the memory', () => {
  const sounds = new AssumedSounds();
  const event = eventOn('old');
  sounds.learn(event.args, SOUND, NOW_MS);
  const long = SOUND.padEnd(10_000);
  for (let nth = 0; nth < 2_000; nth += 1) sounds.learn(eventOn(`long-${nth}`).args, long, NOW_MS);
  assert.equal(sounds.decide([event], [event], NOW_MS).values[0], null);
});

test.run();
