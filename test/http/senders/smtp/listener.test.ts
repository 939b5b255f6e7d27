import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startSmtp } from '../../../../src/http/senders/smtp/listener.ts';
import { freePort } from '../../../support/free-port.ts';
import { type SmtpTalk, withMail } from '../../../support/smtp.ts';
import { aPair } from '../../../support/tls-pair.ts';
import { until } from '../../../support/until.ts';

const MAIL = { subject: 'Disk full', text: 'db-1 has 2 GB left' };
/** Longer than the runner waits: a time that a test sets is the only one that can pass. */
const LONG = { strangerMs: 3_600_000, mailMs: 3_600_000, idleMs: 3_600_000 };
const abroad = () => false;

function auth(key: string): string {
  return `AUTH PLAIN ${Buffer.from(`\0any\0${key}`).toString('base64')}`;
}

test('with a certificate it encrypts by STARTTLS, with a renewed one too', async () => {
  const { ca, files, make, put } = await aPair();
  await withMail({ tls: files, isOwn: abroad }, async ({ api, smtp, send, accepted }) => {
    assert.match(await send(MAIL, { ca }), /^250/);
    put(await make());
    api.http.reloadTls();
    smtp.useCertificate(api.http.tlsPair());
    const tlsPort = smtp.atTls?.port ?? 0;
    for (const port of [{}, { tlsPort }]) assert.match(await send(MAIL, { ca, ...port }), /^250/);
    const other = await aPair();
    assert.match(await send(MAIL, { ca: other.ca }), /certificate|authority/i);
    assert.is(accepted.length, 3);
  });
});

test('from elsewhere no key is taken without encryption, nor is a client invited to show one', async () => {
  const { files } = await aPair();
  await withMail({ tls: files, isOwn: abroad }, async ({ api, open, key }) => {
    const talk = await open();
    const features = await talk.say('EHLO x');
    assert.match(features, /STARTTLS/);
    assert.not.match(features, /AUTH/);
    assert.match(await talk.say(auth(key())), /^5/);
    assert.match(await talk.say('MAIL FROM:<a@x>'), /^530 5\.7\.0 Encrypt first, by STARTTLS/);
    assert.match(await talk.say(`RCPT TO:<alerts+${key('tk_')}@x>`), /^503/);
    talk.socket.destroy();
    assert.not.match(api.log(), /"key":"/);
  });
});

test('without a certificate who is elsewhere is sent away, but for networks that may', async () => {
  await withMail({ isOwn: abroad }, async ({ send, smtp, open }) => {
    assert.ok((smtp.at?.port ?? 0) > 0);
    const talk = await open().catch(() => null);
    assert.is(await talk?.reply('EHLO x'), '');
    assert.match(await send(MAIL), /^554 Unencrypted mail/);
  });
  await withMail({ isOwn: abroad, unencryptedFrom: ['127.0.0.0/8'] }, async ({ send, open }) => {
    assert.match(await send(MAIL), /^250/);
    const talk = await open();
    assert.not.match(await talk.say('EHLO x'), /STARTTLS/);
    assert.match(await talk.say('STARTTLS'), /^500/);
    talk.socket.destroy();
  });
});

test('mail comes encrypted from the first byte, also from elsewhere, and a client that is not is cut off', async () => {
  const { ca, files } = await aPair();
  const times = { ...LONG, strangerMs: 1_000 };
  await withMail({ tls: files, isOwn: abroad, times }, async ({ send, smtp, last }) => {
    const tlsPort = smtp.atTls?.port ?? 0;
    assert.match(await send(MAIL, { ca, tlsPort }), /^250/);
    assert.is(last().title, MAIL.subject);
    smtp.useCertificate(null);
    assert.match(await send(MAIL, { ca, tlsPort }), /^250/);
    for (const command of ['EHLO x\r\n', '']) {
      const socket = connect(tlsPort, '127.0.0.1').on('error', () => undefined);
      socket.resume().write(command);
      await once(socket, 'close');
    }
  });
});

test('commands from before the encryption count no more after it', async () => {
  const { ca, files } = await aPair();
  await withMail({ tls: files }, async ({ api, key, smtp, open }) => {
    const { connect } = await import('node:tls');
    const talk = await open();
    assert.match(await talk.say('EHLO x', auth(key())), /^235/);
    assert.match(await talk.say('STARTTLS'), /^220/);
    talk.socket.removeAllListeners('data');
    const secure = connect({ socket: talk.socket, ca, host: '127.0.0.1' });
    await once(secure, 'secureConnect');
    const { SmtpTalk } = await import('../../../support/smtp.ts');
    const inside: SmtpTalk = new SmtpTalk(secure);
    assert.match(await inside.say('EHLO x'), /AUTH/);
    assert.match(await inside.say('MAIL FROM:<a@x>', 'RCPT TO:<alerts@x>'), /^530/);
    secure.destroy();
    assert.ok((smtp.at?.port ?? 0) > 0 && api.log() !== null);
  });
});

test('a network may hold few connections: those give way that have sent no mail, and others are let in beside it', () =>
  withMail({ limits: { connectionsPerAddress: 2 }, times: LONG }, async ({ open, api, key }) => {
    const [first, second] = [await open('127.0.0.2'), await open('127.0.0.2')];
    const third = await open('127.0.0.2');
    assert.match(await first.reply(), /^421 .*Too many connections/);
    for (const talk of [second, third]) {
      await talk.say('EHLO x', auth(key()), 'MAIL FROM:<>', 'RCPT TO:<alerts@x>', 'DATA');
      assert.match(await talk.reply('Subject: x\r\n\r\nx\r\n.'), /^250/);
      assert.match(await talk.say('MAIL FROM:<>', 'RCPT TO:<alerts@x>', 'DATA'), /^354/);
    }
    const turnedAway = await open('127.0.0.2');
    assert.is(await turnedAway.reply('EHLO x'), '');
    assert.match(api.log(), /"closed":1,"turnedAway":0,"msg":"too many mail connections"/);
    const other = await open('127.0.0.3');
    assert.match(await other.say('EHLO x'), /^250/);
    second.socket.destroy();
    await until('a place', async () => {
      const next = await open('127.0.0.2');
      return /^250/.test(await next.say('EHLO x'));
    });
    for (const talk of [third, other]) talk.socket.destroy();
  }));

test('a connection that was encrypted, or should have been, makes room for the next one', async () => {
  const { ca, files } = await aPair();
  for (const [times, reply] of [
    [LONG, 'no handshake'],
    [{ ...LONG, strangerMs: 6_000 }, ''],
  ] as const) {
    await withMail({ tls: files, limits: { connectionsPerAddress: 1 }, times }, async ({ open, send }) => {
      const room = () => until('room', async () => /^250/.test(await send(MAIL, { ca })));
      for (let turn = 0; turn < 3; turn += 1) await room();
      let talk = await open();
      await until('another place', async () => {
        if (/^250/.test(await talk.say('EHLO x'))) return true;
        talk = await open();
        return false;
      });
      const closed = once(talk.socket, 'close');
      assert.match(await talk.say('STARTTLS'), /^220/);
      talk.socket.write(reply);
      await closed;
      await room();
    });
  }
});

test('a client that shows no key in time is cut off, and so is a client that then sends nothing', async () => {
  const ended = async (talk: SmtpTalk) => (talk.socket.closed ? null : once(talk.socket, 'close'));
  await withMail({ times: { ...LONG, strangerMs: 300 } }, async ({ open }) => {
    const stranger = await open();
    await stranger.say('EHLO x');
    await ended(stranger);
  });
  await withMail({ times: { ...LONG, mailMs: 1_000 } }, async ({ open, key }) => {
    const slow = await open();
    assert.match(await slow.say('EHLO x', auth(key()), 'MAIL FROM:<a@x>', 'RCPT TO:<alerts@x>', 'DATA'), /^354/);
    slow.socket.write('Subject: never ends\r\n');
    await ended(slow);
  });
  await withMail({ times: { ...LONG, idleMs: 300 } }, async ({ open, key }) => {
    const idle = await open();
    assert.match(await idle.say('EHLO x', auth(key())), /^235/);
    await ended(idle);
  });
});

test('a stop cuts off a mail that does not come to its end', () =>
  withMail({ times: LONG }, async ({ smtp, open, key }) => {
    const slow = await open();
    assert.match(await slow.say('EHLO x', auth(key()), 'MAIL FROM:<a@x>', 'RCPT TO:<alerts@x>', 'DATA'), /^354/);
    await smtp.close(50);
    assert.is(await slow.reply(), '');
  }));

test('a stop answers the mail that has come, and sends the others away at once', async () => {
  const { promise: mayStore, resolve: letStore } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  let pass: (() => Promise<unknown>) | null = null;
  await withMail(
    {
      store: {
        acceptEvent: async () => {
          ask();
          await mayStore;
          return (await pass?.()) as never;
        },
      },
    },
    async ({ api, smtp, open, key }) => {
      const [busy, idle] = [await open(), await open()];
      await busy.say('EHLO x', auth(key()), 'MAIL FROM:<a@x>', 'RCPT TO:<alerts@x>', 'DATA');
      const answer = busy.reply('Subject: x\r\n\r\nx\r\n.');
      await asked;
      pass = async () => ({ kind: 'unknown_channel' });
      const closed = smtp.close(5_000);
      assert.match(await idle.reply(), /^421 .*stopping/);
      letStore();
      assert.match(await answer, /^550/);
      await closed;
      await open().then(
        () => assert.unreachable('it still listens'),
        () => undefined,
      );
      assert.ok(api.log());
    },
  );
});

test('a stop does not wait for clients that have not finished their TLS handshake', async () => {
  const { ca, files } = await aPair();
  await withMail({ tls: files, times: LONG }, async ({ send, smtp }) => {
    const tlsPort = smtp.atTls?.port ?? 0;
    const silent = connect(tlsPort, '127.0.0.1');
    await once(silent, 'connect');
    // Connections are accepted in order, so this mail proves that the silent client was accepted.
    assert.match(await send(MAIL, { ca, tlsPort }), /^250/);
    const graceMs = 30_000;
    const beganMs = performance.now();
    await smtp.close(graceMs);
    assert.ok(performance.now() - beganMs < graceMs / 2);
    silent.destroy();
  });
});

test('a listener that is closed twice ends once', async () => {
  await withMail({}, async ({ smtp }) => {
    await Promise.all([smtp.close(0), smtp.close(0)]);
    await smtp.close(0);
    assert.is(smtp.at === null, false);
  });
});

test('if the second port is taken, the first one is closed again', async () => {
  const { files } = await aPair();
  await withMail({ tls: files }, async ({ api, smtp }) => {
    const host = '127.0.0.1';
    const port = await freePort();
    const listenTls = { host, port: smtp.atTls?.port ?? 0 };
    const another = startSmtp({ service: api.mail, listen: { host, port }, listenTls, pair: api.http.tlsPair() });
    const error = await another.then(
      () => null,
      (thrown: Error) => thrown,
    );
    assert.match(error?.message ?? '', `senders.smtp.listen_tls: ${host}:${listenTls.port} is in use`);
    const found = await once(connect(port, host), 'connect').then(
      () => 'open',
      ({ code }: NodeJS.ErrnoException) => code,
    );
    assert.is(found, 'ECONNREFUSED');
  });
});

test('the connection of a client that is refused again and again ends', () =>
  withMail({}, async ({ open, api }) => {
    const talk = await open();
    await talk.say('EHLO x');
    for (let turn = 0; turn < 20; turn += 1) assert.match(await talk.say(auth('pctl_wrong')), /^535/);
    assert.match(await talk.say(auth(api.key)), /^235/);
    const guesser = await open();
    await guesser.say('EHLO x');
    for (let turn = 0; turn < 20; turn += 1) await guesser.say(auth('pctl_wrong'));
    assert.match(await guesser.say(auth('pctl_wrong')), /^421 .*Too many errors/);
    await Promise.race([once(guesser.socket, 'close'), guesser.reply('NOOP')]);
    talk.socket.destroy();
  }));

test('it relays nothing, and says nothing of who is there', () =>
  withMail({}, async ({ open, key }) => {
    const talk = await open();
    assert.match(await talk.say('EHLO x', 'VRFY root'), /^5/);
    assert.match(await talk.say('MAIL FROM:<a@example.com>', 'RCPT TO:<b@example.org>'), /^530/);
    assert.match(await talk.say(auth(key()), 'XCLIENT ADDR=192.0.2.1'), /^5/);
    talk.socket.destroy();
  }));

test.run();
