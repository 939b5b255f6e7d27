import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SmtpTalk, withMail } from '../support/smtp.ts';
import { aPair } from '../support/tls-pair.ts';
import { untilIs } from '../support/until.ts';

const MIB = 1_048_576;
/** No time is what ends a connection. */
const LONG = { strangerMs: 3_600_000, mailMs: 3_600_000, idleMs: 3_600_000 };
/** Bytes that may be on their way between two processes, beyond those that the server has read. */
const ON_THE_WAY = 16 * MIB;
const LINE = `${'x'.repeat(998)}\r\n`;

/** Writes the same again and again until the connection ends, and requires that the server read a bounded part. */
async function pour({ socket }: SmtpTalk, text: string): Promise<void> {
  const piece = text.repeat(Math.ceil(65_536 / text.length));
  const write = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  await new Promise((resolve) => {
    socket.on('drain', write).once('close', resolve);
    write();
  });
  assert.ok(socket.bytesWritten < 9 * MIB + ON_THE_WAY, `${socket.bytesWritten} bytes went out`);
}

/** Writes something, and gives all that the server says until it ends the connection. */
async function replyAfter({ socket }: SmtpTalk, text: string): Promise<string> {
  let reply = '';
  socket.on('data', (bytes) => {
    reply += bytes;
  });
  socket.write(text);
  await once(socket, 'close');
  return reply;
}

function auth(key: string): string {
  return `AUTH PLAIN ${Buffer.from(`\0any\0${key}`).toString('base64')}`;
}

async function encrypted(talk: SmtpTalk, ca: string): Promise<SmtpTalk> {
  assert.match(await talk.say('EHLO x', 'STARTTLS'), /^220/);
  talk.socket.removeAllListeners('data');
  const secure = connectTls({ socket: talk.socket, ca, host: '127.0.0.1' });
  await once(secure, 'secureConnect');
  return new SmtpTalk(secure);
}

async function beginMail(talk: SmtpTalk, key: string): Promise<void> {
  assert.match(await talk.say('EHLO x', auth(key), 'MAIL FROM:<>', 'RCPT TO:<alerts@x>', 'DATA'), /^354/);
}

test('a mail without end is answered 552 beyond 8 MiB, and its connection ends', async () => {
  const { ca, files } = await aPair();
  for (const isEncrypted of [false, true]) {
    await withMail({ times: LONG, ...(isEncrypted && { tls: files }) }, async ({ api, open, key }) => {
      const begin = async (): Promise<SmtpTalk> => {
        const talk = isEncrypted ? await encrypted(await open(), ca) : await open();
        await beginMail(talk, key());
        return talk;
      };
      assert.match(await replyAfter(await begin(), LINE.repeat(8_500)), /^552 /);
      await pour(await begin(), LINE);
      await untilIs('no mail to be held', () => api.bodies.bytes, 0);
    });
  }
});

test('at most 2 MiB of a large mail are held, and its connection goes on', () =>
  withMail({ times: LONG, limits: { bodiesMemoryBytes: 4 * 2.5 * MIB } }, async ({ open, key }) => {
    const talk = await open();
    await beginMail(talk, key());
    talk.socket.write(`Subject: x\r\n\r\n${LINE.repeat(4_000)}`);
    assert.match(await talk.reply('.'), /^250 /);
    await beginMail(talk, key());
    assert.match(await talk.reply('Subject: x\r\n\r\nx\r\n.'), /^250 /);
    talk.socket.destroy();
  }));

test('a mail for which there is no room is answered 421, and not read without end', () =>
  withMail({ times: LONG, limits: { bodiesMemoryBytes: MIB } }, async ({ open, key }) => {
    const [full, other] = [await open(), await open()];
    for (const talk of [full, other]) await beginMail(talk, key());
    assert.match(await replyAfter(full, LINE.repeat(1_000)), /^421 /);
    await pour(other, LINE);
  }));

test('commands without end, or a line without end, end the connection with a 421', () =>
  withMail({ times: LONG }, async ({ open, key }) => {
    for (const hasKey of [true, false]) {
      const begin = async (): Promise<SmtpTalk> => {
        const talk = await open();
        await talk.say('EHLO x');
        if (hasKey) assert.match(await talk.say(auth(key())), /^235/);
        return talk;
      };
      assert.match(await replyAfter(await begin(), 'x'.repeat(3_000)), /^421 .*Command line too long/);
      const reply = await replyAfter(await begin(), 'NOOP\r\n'.repeat(20_000));
      assert.match(reply, hasKey ? /421 .*Too much data/ : /421 /);
      for (const text of ['x', 'NOOP\r\n']) await pour(await begin(), text);
    }
  }));

test.run();
