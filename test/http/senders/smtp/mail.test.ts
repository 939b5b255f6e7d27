import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../../src/store/calls.ts';
import { withMail } from '../../../support/smtp.ts';
import { valuesOf } from '../../../support/values-of.ts';

const MAIL = { subject: 'Disk full', text: 'db-1 has 2 GB left' };

test('a mail becomes an event, and is answered with its id once it is stored', () =>
  withMail({}, async ({ api, send, last, accepted }) => {
    const html = '<p>See <a href="https://nas.example.com/">the NAS</a></p>';
    assert.match(await send({ ...MAIL, priority: 'high' }), /^250 2\.\d\.0 Accepted as evt_\w+$/);
    const { title, description, level, urgency, channel } = last();
    assert.equal([title, description, channel], ['Disk full', 'db-1 has 2 GB left', 'alerts']);
    assert.equal([level, urgency], ['error', 'time_sensitive']);
    assert.match(await send({ subject: 'x', html }), /^250/);
    assert.equal([last().description, last().hadLinks], ['See the NAS', true]);
    assert.match(await send({ subject: 's'.repeat(300), text: 'x' }), /\(shortened: title\)$/);
    assert.is(accepted.length, 3);
    assert.match(api.log(), /"method":"DATA","route":"smtp","key":"\w{12}","status":250/);
  }));

test("a key that is bound to one channel posts there for any recipient; another key to the channel of the recipient's name", () =>
  withMail({}, async ({ api, send, last }) => {
    await api.store.createChannel({ workspace: 'acme', slug: 'builds', name: 'Builds' });
    const to = async (address: string, password?: string | null) => {
      const reply = await send({ ...MAIL, to: address }, password === undefined ? {} : { password });
      return reply.startsWith('250') ? last().channel : reply;
    };
    assert.is(await to('root@nas.local'), 'alerts');
    assert.is(await to('builds@push.example.com', api.key), 'builds');
    assert.is(await to('builds+nightly@push.example.com', api.key), 'builds');
    assert.match(await to('root@nas.local', api.key), /^550 5\.1\.1 The channel does not exist/);
  }));

test('an address without a domain is taken, as devices write it', () =>
  withMail({}, async ({ api, key, open, accepted }) => {
    await api.store.createChannel({ workspace: 'acme', slug: 'builds', name: 'Builds' });
    const talk = await open();
    const auth = Buffer.from(`\0any\0${api.key}`).toString('base64');
    assert.match(await talk.say('EHLO x', `AUTH PLAIN ${auth}`), /^235/);
    for (const [from, to] of [
      ['<root>', '<builds>'],
      ['<> SIZE=10', `<builds+${key('tk_')}>`],
      [' <root@nas>', ' <alerts> NOTIFY=NEVER'],
    ]) {
      assert.match(await talk.say(`MAIL FROM:${from}`, `rcpt to:${to}`), /^250/, to);
      assert.match(await talk.say('DATA', 'Subject: x\r\n\r\n.'), /^250/, to);
    }
    assert.equal(valuesOf(accepted, 'channel'), ['builds', 'alerts', 'alerts']);
    assert.match(await talk.say('MAIL FROM:<>', 'RCPT TO:<>'), /^501/);
    assert.match(await talk.say('RCPT TO:<a b>'), /^501/);
    talk.socket.destroy();
  }));

test('the key may stand in the address, if it is bound to one channel', () =>
  withMail({}, async ({ api, key, send, accepted }) => {
    for (const name of [
      `alerts+${key('tk_')}`,
      key('tk_'),
      `x+${key('gtfya.')}`,
      `alerts+${key('tk_').toUpperCase()}`,
    ]) {
      assert.match(await send({ ...MAIL, to: `${name}@push.example.com` }, { password: null }), /^250/, name);
    }
    assert.is(accepted.length, 4);
    const { text: free } = await api.issueKey({ scopes: ['events:write'] });
    const to = (token: string) => send({ ...MAIL, to: `alerts+${token}@push.example.com` }, { password: null });
    assert.match(await to(free), /^550 5\.1\.1 An API key in an address/);
    const typo = key('tk_').replace(/.$/, (last) => (last === '7' ? '8' : '7'));
    assert.match(await to(typo), /^550 5\.1\.1 The API key is missing or not valid/);
    assert.match(await send(MAIL, { password: null }), /^530 5\.7\.0 Send an API key/);
    assert.is(accepted.length, 4);
  }));

test('several recipients are an event for each channel, and at most ten', () =>
  withMail({}, async ({ api, open, accepted }) => {
    for (let n = 0; n < 11; n += 1) await api.store.createChannel({ workspace: 'acme', slug: `c${n}`, name: `c${n}` });
    const talk = await open();
    const auth = Buffer.from(`\0any\0${api.key}`).toString('base64');
    assert.match(await talk.say('EHLO x', `AUTH PLAIN ${auth}`), /^235/);
    assert.match(await talk.say('MAIL FROM:<>', 'RCPT TO:<c0@x>', 'RCPT TO:<c0@y>', 'RCPT TO:<c1@x>'), /^250/);
    assert.match(await talk.say('DATA', 'Subject: Two\r\n\r\nx\r\n.'), /^250 .* Accepted as evt_\w+, evt_\w+$/);
    assert.equal(valuesOf(accepted, 'channel'), ['c0', 'c1']);
    await talk.say('MAIL FROM:<>', ...Array.from({ length: 10 }, (_, n) => `RCPT TO:<c${n}@x>`));
    assert.match(await talk.say('RCPT TO:<c10@x>'), /^452 4\.\d\.\d Too many recipients/);
    assert.match(await talk.say('RSET', 'DATA'), /^503/);
    talk.socket.destroy();
  }));

test('the same mail again is one event, and one for each channel', () =>
  withMail({}, async ({ api, send, accepted }) => {
    await api.store.createChannel({ workspace: 'acme', slug: 'builds', name: 'Builds' });
    const again = { ...MAIL, messageId: '<1@nas>', date: new Date() };
    const first = await send(again);
    assert.is(await send(again), first);
    assert.match(api.log(), /"replay":"same"/);
    assert.is(accepted.length, 1);
    assert.is.not(await send({ ...again, text: 'another' }), first);
    await send({ ...again, to: ['alerts@x', 'builds@x'] }, { password: api.key });
    assert.is(accepted.length, 4);
  }));

test('limits of the key and the month are answered so that a mail server tries again, before the mail is sent', () =>
  withMail({ limits: { burstPerMinute: 1 } }, async ({ api, send, accepted }) => {
    assert.match(await send(MAIL), /^250/);
    assert.match(await send(MAIL), /^452 4\.2\.2 This API key has made too many requests/);
    const { text } = await api.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
    await api.store.setPlan({ name: 'none', monthlyEvents: 0 });
    await api.store.setWorkspacePlan({ slug: 'acme', plan: 'none' });
    assert.match(await send(MAIL, { password: text }), /^452 4\.2\.2 The monthly event allowance/);
    assert.is(accepted.length, 1);
  }));

test('a key that is wrong, revoked or may not post is refused for good, and logged for the tool that bans guessers', () =>
  withMail({}, async ({ api, send }) => {
    assert.match(await send(MAIL, { password: 'pctl_wrong' }), /^535 5\.7\.8 The API key is missing or not valid/);
    const reading = await api.issueKey({ scopes: ['events:read'] });
    assert.match(await send(MAIL, { password: reading.text }), /^535 5\.7\.8 The API key does not have the scope/);
    const revoked = await api.issueKey({ scopes: ['events:write'] });
    await api.store.revokeKey({ id: revoked.id });
    assert.match(await send(MAIL, { password: revoked.text }), /^535 5\.7\.8 The API key has been revoked/);
    assert.match(api.log(), /"refused":"key","address":"127\.0\.0\.1"/);
    assert.match(api.log(), /"method":"AUTH","route":"smtp","status":535/);
  }));

test('guesses of keys are slowed down with those of HTTP, wherever the key stands, and good keys do not count', () =>
  withMail({ limits: { connectionPerMinute: 3 } }, async ({ api, key, send, accepted }) => {
    const wrong = 'pctl_wrong';
    for (let n = 0; n < 5; n += 1) assert.match(await send(MAIL), /^250/);
    assert.match(await send(MAIL, { password: wrong }), /^535/);
    assert.match(await send({ ...MAIL, to: `alerts+${key('tk_').slice(0, -1)}@x` }, { password: null }), /^550/);
    assert.is((await api.request('/api/v1/connection', { key: wrong })).status, 401);
    assert.match(await send(MAIL, { password: wrong }), /^454 4\.\d\.\d /);
    assert.match(await send(MAIL), /^454/, 'no answer says whether the guess was right');
    assert.match(await send({ ...MAIL, to: `alerts+${key('tk_')}@x` }, { password: null }), /^452/);
    assert.is((await api.request('/api/v1/connection')).status, 429);
    assert.is(accepted.length, 5);
  }));

test('a key that is revoked while its client is connected posts no more', () =>
  withMail({}, async ({ api, open, accepted }) => {
    const { id, text } = await api.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
    const talk = await open();
    const auth = Buffer.from(`\0any\0${text}`).toString('base64');
    await talk.say('EHLO x', `AUTH PLAIN ${auth}`, 'MAIL FROM:<>', 'RCPT TO:<alerts@x>');
    await api.store.revokeKey({ id });
    assert.match(await talk.say('DATA', 'Subject: x\r\n\r\nx\r\n.'), /^554|^550|^535/);
    assert.match(await talk.say('MAIL FROM:<>', 'RCPT TO:<alerts@x>'), /^5/);
    assert.is(accepted.length, 0);
    talk.socket.destroy();
  }));

test('a large mail is cut, and what is larger, without a text, or no event is answered as such', () =>
  withMail({}, async ({ send, open, key, accepted }) => {
    const scan = (bytes: number) => ({
      ...MAIL,
      attachments: [{ filename: 'scan.pdf', content: Buffer.alloc(bytes) }],
    });
    assert.match(await send(scan(6_500_000)), /^552/);
    assert.match(await send(scan(4_194_304)), /^250 .*\(shortened: mail\)/);
    assert.match(await send({ subject: '', text: '' }), /^554 5\.6\.0 The mail has no text/);
    const away = { ...MAIL, headers: { 'Auto-Submitted': 'auto-replied' } };
    assert.match(await send(away), /^250 .*Automatic replies are ignored/);
    assert.is(accepted.length, 1);
    const talk = await open();
    const auth = Buffer.from(`\0any\0${key()}`).toString('base64');
    await talk.say('EHLO x', `AUTH PLAIN ${auth}`);
    assert.match(await talk.say('MAIL FROM:<> SIZE=9999999'), /^552/);
    talk.socket.destroy();
  }));

test('if the store cannot write, or there is a bug, the mail is kept by its sender', async () => {
  for (const error of [new StoreUnavailable('no space left'), new Error('cannot store hush7')]) {
    await withMail({ store: { acceptEvent: () => Promise.reject(error) } }, async ({ api, send }) => {
      assert.match(await send({ subject: 'hush7', text: 'hush7' }), /^451 4\.3\.0/);
      assert.not.match(api.log(), /hush7/);
    });
  }
});

test('nothing that a client says gets into the log, nor does its key', () =>
  withMail({}, async ({ api, key, send, open }) => {
    const hush = { from: 'hush7@hush7.example.com', subject: 'hush7', text: 'hush7 https://hush7.example.com' };
    await send({ ...hush, to: `hush7+${key('tk_')}@hush7.example.com` }, { password: null });
    await send({ ...hush, to: 'hush7@hush7.example.com' }, { password: api.key });
    await send(hush, { password: 'hush7' });
    const talk = await open();
    await talk.say('EHLO hush7', 'HUSH7', 'MAIL FROM:<hush7@x>', `RCPT TO:<hush7+${key('tk_')}@x>`, 'DATA');
    talk.socket.destroy();
    assert.match(api.log(), /"route":"smtp"/);
    assert.not.match(api.log(), /hush7/i);
    assert.not.ok(api.log().includes(key('tk_').slice(15)));
  }));

test.run();
