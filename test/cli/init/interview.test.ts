import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { carriedOver } from '../../../src/cli/init/answers.ts';
import { type Flags, interview, type Prompter } from '../../../src/cli/init/interview.ts';
import type { Values } from '../../../src/config/example.ts';
import { keyFiles } from '../../support/key-files.ts';

test('An empty answer keeps the earlier value, and the answer none removes it', async () => {
  const { apnsKey } = await keyFiles();
  const earlier = new Map<string, unknown>([
    ['listen', '127.0.0.1:0'],
    ['base_url', 'https://push.example.com/api'],
    ['proxy.trusted', ['10.0.0.7', '10.0.1.0/24']],
    ['apns.key_file', apnsKey],
    ['apns.key_id', 'XYZ987XYZ9'],
    ['apns.team_id', 'DEF123GHIJ'],
    ['apns.topic', 'com.example.app'],
    ['apns.ca_file', 'ca.pem'],
    ['delivery.threads', 3],
  ]);
  const kept = await asked({}, ['', '', '', '', '', '', '', '', ''], earlier);
  assert.equal(Object.fromEntries(carriedOver(kept.values, earlier)), Object.fromEntries(earlier));
  const less = await asked({}, ['', 'none', 'none', '', ''], earlier);
  assert.equal(Object.fromEntries(carriedOver(less.values, earlier)), {
    listen: '127.0.0.1:0',
    'proxy.trusted': ['10.0.0.7', '10.0.1.0/24'],
    'delivery.threads': 3,
  });
});

test('A server that is reached itself may get its certificate by itself, and one behind a proxy is not asked', async () => {
  const { values, questions } = await asked({}, [
    '0.0.0.0:0',
    '',
    'Push.Example.com',
    'push.example.com, hooks.example.com',
    'ops@example.com',
    '',
    '',
    '',
  ]);
  assert.equal(values.get('tls.acme.domains'), ['push.example.com', 'hooks.example.com']);
  assert.is(values.get('tls.acme.contact'), 'ops@example.com');
  assert.not.ok(questions.some((question) => question.includes('PEM file')));
  const earlier = new Map(values);
  const again = await asked({}, ['', '', '', '', '', '', ''], earlier);
  assert.equal(Object.fromEntries(carriedOver(again.values, earlier)), Object.fromEntries(earlier));
  const loopback = await asked({}, ['127.0.0.1:0', '', '', '', '']);
  assert.not.ok(loopback.questions.some((question) => /by itself|certificate/.test(question)));
});

test('The question says what leaving something out means, and how to answer for it', async () => {
  const { apnsKey } = await keyFiles();
  const earlier = new Map<string, unknown>([['apns.key_file', apnsKey]]);
  const { questions } = await asked({}, ['127.0.0.1:0', '', 'none', '', ''], earlier);
  const about = (what: string) => questions.find((question) => question.includes(what));
  assert.match(about('Apple') ?? '', /for iOS \(none: no iOS\)$/, 'an empty answer would keep it');
  assert.match(about('Firebase') ?? '', /for Android \(empty: no Android\)$/);
  assert.match(about('push services') ?? '', /mailto:… \(empty: no browsers\)$/);
});

test('A person is asked again until the answer is right, and the key ID is taken from the name of the file', async () => {
  const { apnsKey } = await keyFiles();
  const { values, shown } = await asked({}, [
    'nonsense',
    '127.0.0.1:0',
    '',
    '/nonexistent.p8',
    apnsKey,
    '',
    'short',
    'DEF123GHIJ',
    'com.example.app',
    '',
    '',
  ]);
  assert.equal(Object.fromEntries(values), {
    listen: '127.0.0.1:0',
    'apns.key_file': apnsKey,
    'apns.key_id': 'ABC123DEFG',
    'apns.team_id': 'DEF123GHIJ',
    'apns.topic': 'com.example.app',
  });
  assert.is(shown.length, 3);
});

test('A contact for Web Push that Apple would refuse is asked for again', async () => {
  const { values, shown } = await asked({}, [
    '127.0.0.1:0',
    '',
    '',
    '',
    'mailto:root@localhost',
    'mailto:ops@example.com',
  ]);
  assert.is(values.get('webpush.contact'), 'mailto:ops@example.com');
  assert.match(shown.join(), /webpush\.contact is "mailto:root@localhost": expected mailto: and an address.*Apple/);
});

test('A person may answer with an address for the whole network before saying how TLS comes about', async () => {
  const { values } = await asked({ baseUrl: 'https://push.example.com/api' }, [':0', '', '', '10.0.0.7', '', '', '']);
  assert.is(values.get('listen'), ':0');
});

test('A person is asked for the proxy if clients reach the server elsewhere without a certificate', async () => {
  const isAsked = (questions: readonly string[]) =>
    questions.some((question) => /reverse proxy in front/.test(question));
  const baseUrl = 'https://push.example.com/api';
  const listen = '127.0.0.1:0';
  const near = await asked({ listen, baseUrl }, ['', '', '', '']);
  assert.equal(near.values.get('proxy.trusted'), ['127.0.0.1']);
  assert.match(
    near.questions.join(),
    /from which it connects \(none: no proxy\)$|from which it connects \(none: no proxy\)/m,
  );
  const far = await asked({ baseUrl }, ['0.0.0.0:0', 'none', '', 'nowhere', '10.0.0.7, 10.0.1.0/24', '', '', '']);
  assert.equal(far.values.get('proxy.trusted'), ['10.0.0.7', '10.0.1.0/24']);
  assert.match(far.shown.join(), /proxy\.trusted\[0\] is "nowhere"/);
  const without = await asked({ listen, baseUrl }, ['none', '', '', '']);
  assert.not.ok(without.values.has('proxy.trusted'));
  const here = await asked({ listen, baseUrl: 'http://localhost:8080/api' }, ['', '', '']);
  assert.not.ok(isAsked(here.questions));
  const named = await asked({ listen, baseUrl, trustedProxy: ['10.0.0.7'] }, ['', '', '']);
  assert.equal([isAsked(named.questions), named.values.get('proxy.trusted')], [false, ['10.0.0.7']]);
});

test('A person is not asked for what the options say', async () => {
  const { values } = await asked({ listen: '127.0.0.1:0', baseUrl: 'http://127.0.0.1:1/api' }, ['', '', '']);
  assert.equal([...values.keys()], ['listen', 'base_url']);
});

test.run();

/** An interview with an operator who gives these answers in turn, to the last. */
async function asked(flags: Flags, answers: readonly string[], earlier: Values = new Map()) {
  const left = [...answers];
  const shown: string[] = [];
  const questions: string[] = [];
  const person: Prompter = {
    ask: async (question) => {
      questions.push(question);
      const answer = left.shift();
      if (answer === undefined) throw new Error(`no answer left to: ${question}`);
      return answer;
    },
    show: (text) => void shown.push(text),
  };
  const values = await interview(flags, person, { earlier, isForService: false });
  assert.equal(left, []);
  return { values, shown, questions };
}
