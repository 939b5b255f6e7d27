import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { weightOf, weightOfHue, weightOfText, weightOfWord } from '../../../src/contract/senders/levels.ts';

test('priorities of ntfy from 4 on and of Gotify from 8 on are time-sensitive, and no others; the default names nothing', () => {
  for (let priority = 1; priority <= 5; priority += 1) {
    const urgency = priority === 3 ? undefined : priority >= 4 ? 'time_sensitive' : 'standard';
    assert.is(weightOf('ntfy', String(priority))?.delivery_urgency, urgency);
  }
  for (let priority = 0; priority <= 10; priority += 1) {
    assert.is(weightOf('gotify', String(priority))?.delivery_urgency, priority >= 8 ? 'time_sensitive' : 'standard');
  }
});

test('words weigh the same in any case, and others weigh nothing', () => {
  assert.equal(weightOf('severity', ' Critical '), weightOf('severity', 'critical'));
  assert.is(weightOf('severity', 'critical')?.level, 'error');
  for (const word of ['', 'constructor', '__proto__', 'toString', 'blue']) {
    assert.is(weightOf('severity', word), undefined, word);
  }
});

test('states of builds and checks are words of bad news, as fields and in headlines', () => {
  for (const [word, level] of [
    ['startup_failure', 'error'],
    ['UNSTABLE', 'warning'],
    ['CRITICAL', 'error'],
    ['PROBLEM', 'error'],
  ] as const) {
    assert.is(weightOfWord(word)?.level, level, word);
    assert.equal(weightOfText(`** ${word} Service Alert: db-1 **\nx`, undefined), { level }, word);
    assert.equal(weightOfText(`Summary\n0 OK, 1 ${word}`, undefined), {}, 'below the headline');
    assert.equal(weightOfText(`No ${word.toLowerCase()}ities: 0 ${word}`, undefined), {});
    assert.is(weightOfText(`Now ${word}`, { level: 'info' }).level, 'info', 'a field says it');
  }
  assert.is(weightOfText('** RECOVERY Service Alert: db-1 is OK, was CRITICAL **', undefined).level, 'success');
});

test('colours are judged by their hue: of Slack, Uptime Kuma, Grafana and Jenkins', () => {
  for (const [colour, level] of [
    ['#2eb886', 'success'],
    ['#36a64f', 'success'],
    ['#e01e5a', 'error'],
    ['D63232', 'error'],
    ['#daa038', 'warning'],
    ['#f0ad4e', 'warning'],
    ['#439FE0', undefined],
    ['#dddddd', undefined],
    ['#fff', undefined],
    ['good', undefined],
  ] as const) {
    assert.is(weightOfHue(colour)?.level, level, colour);
  }
});

test.run();
