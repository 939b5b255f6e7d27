/** The same as thread-time-senders.trial.test.ts for mails, of which the thread that serves HTTP only takes the bytes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withMail } from '../support/smtp.ts';
import { slowness, threadCpuMs } from '../support/thread-cpu.ts';

/** More than 10, as the client of the test is on the same thread. */
const MOST_MS = 15;
const TRIES = 20;
const BYTES = 65_536;

const MIXED = 'Content-Type: multipart/mixed; boundary=b';
const HTML = 'Content-Type: text/html';
/** Mails by their repeated part: header fields, then the text. */
const WORST: readonly (readonly [fields: string, header: string, text: string])[] = [
  ['', '', '.\r\n\r\n'],
  ['', '', 'https://'],
  ['', '', '\u200b'],
  ['', 'a: b\r\n', ''],
  ['', 'To: a@b, =?utf-8?b?YQ==?= <c@d>\r\n', ''],
  ['', 'Subject: =?utf-8?q?=41?= =?gb18030?b?QQ==?=\r\n ', ''],
  ['', 'References: <a@b>\r\n', ''],
  [MIXED, '', '--b\r\n\r\nx\r\n'],
  [MIXED, '', '--b\r\nContent-Type: message/rfc822\r\n\r\n'],
  [HTML, '', '<div>'],
  [HTML, '', '<a href="https://x">'],
  [HTML, '', '<table><tr><td>'],
  [HTML, '', '&amp;'],
  ['Content-Transfer-Encoding: base64', '', 'QUJD\r\n'],
  ['Content-Transfer-Encoding: quoted-printable', '', '=\r\n'],
  ['Content-Type: text/plain; charset=iso-2022-jp', '', '\u001b$B'],
];

/** smtp-server takes a turn of the event loop for each line that begins with two dots. */
const DOTTED: typeof WORST = [
  ['', '', '\r\n..'],
  ['', '', '\n..'],
  ['', '', '..\r\n'],
];

function mailOf([fields, header, text]: (typeof WORST)[number]): string {
  const fill = (piece: string) => piece.repeat(piece === '' ? 0 : Math.floor(BYTES / Buffer.byteLength(piece)));
  return `Subject: x\r\n${fields === '' ? '' : `${fields}\r\n`}${fill(header)}\r\nx${fill(text)}\r\n.`;
}

/** The longest time that this thread has spent in one turn of the event loop meanwhile. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = threadCpuMs();
  const look = (): void => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - before);
    before = now;
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  await work();
  clearImmediate(next);
  return longest;
}

test('no mail keeps the HTTP thread busy', () =>
  withMail({ limits: { burstPerMinute: 1_000_000 } }, async ({ open, key }) => {
    const auth = `AUTH PLAIN ${Buffer.from(`\0any\0${key()}`).toString('base64')}`;
    const slow: string[] = [];
    for (const worst of WORST) {
      const mail = mailOf(worst);
      let least = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES && least > MOST_MS; tries += 1) {
        const talk = await open();
        assert.match(await talk.say('EHLO x', auth, 'MAIL FROM:<>', 'RCPT TO:<alerts@x>', 'DATA'), /^354/);
        const before = threadCpuMs();
        assert.match(await talk.reply(mail), /^(?:250|55[24]) /);
        least = Math.min(least, threadCpuMs() - before);
        talk.socket.destroy();
      }
      if (least > MOST_MS && least > MOST_MS * (await slowness()))
        slow.push(`${least.toFixed(1)} ms: ${JSON.stringify(worst)}`);
    }
    assert.equal(slow, []);
  }));

test('lines that begin with dots are read in turns with other work', () =>
  withMail({ limits: { burstPerMinute: 1_000_000 } }, async ({ open, key }) => {
    const auth = `AUTH PLAIN ${Buffer.from(`\0any\0${key()}`).toString('base64')}`;
    for (const dotted of DOTTED) {
      const talks = await Promise.all(Array.from({ length: 16 }, () => open()));
      for (const talk of talks) {
        assert.match(await talk.say('EHLO x', auth, 'MAIL FROM:<>', 'RCPT TO:<alerts@x>', 'DATA'), /^354/);
      }
      const longestMs = await longestTurnMs(() => Promise.all(talks.map((talk) => talk.reply(mailOf(dotted)))));
      assert.ok(longestMs < MOST_MS * (await slowness()), `${longestMs.toFixed(1)} ms: ${JSON.stringify(dotted)}`);
      for (const talk of talks) talk.socket.destroy();
    }
  }));

test.run();
