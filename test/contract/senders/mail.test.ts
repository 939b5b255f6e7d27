import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Publication } from '../../../src/contract/senders/format.ts';
import { channelIn, mailPublication } from '../../../src/contract/senders/mail.ts';
import { readMail } from '../../../src/contract/senders/mail-reading.ts';

const NOW_MS = Date.parse('2026-11-23T12:00:00Z');

async function publicationOf(mail: string | Buffer) {
  return mailPublication(await readMail(typeof mail === 'string' ? Buffer.from(mail) : mail), NOW_MS);
}

async function published(mail: string | Buffer): Promise<Publication> {
  const publication = await publicationOf(mail);
  if (publication === null || 'reply' in publication) throw new Error('nothing is published');
  return publication;
}

const eventOf = async (mail: string | Buffer) => (await published(mail)).event;
const levelOf = async (mail: string) => {
  const { level = 'none', delivery_urgency: urgency = 'none' } = await eventOf(mail);
  return `${level} ${urgency}`;
};
const text = (fields: string, body = 'Text') => `Subject: x\n${fields}\n\n${body}`;

/** A mail of Debian's cron. */
const CRON = `From: root@db-1 (Cron Daemon)
To: root@db-1
Subject: Cron <root@db-1> /usr/local/bin/backup
MIME-Version: 1.0
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: 8bit
X-Cron-Env: <SHELL=/bin/sh>
Auto-Submitted: auto-generated

rsync: größer als erwartet
see https://wiki.example.com/backup.
`;

test('a mail that declares no charset is read as UTF-8, else as Windows-1252', async () => {
  const mail = 'Subject: Gerät\n\nGröße 5 GB';
  for (const bytes of [Buffer.from(mail), Buffer.from(mail, 'latin1')]) {
    const { title, description } = await eventOf(bytes);
    assert.equal([title, description], ['Gerät', 'Größe 5 GB']);
  }
});

test('a mail of cron: the subject is the title, the output the text, its first link the link', async () => {
  assert.equal(await published(CRON), {
    event: {
      title: 'Cron <root@db-1> /usr/local/bin/backup',
      description: 'rsync: größer als erwartet\nsee https://wiki.example.com/backup.',
      url: 'https://wiki.example.com/backup',
    },
  });
});

test('plain text wins over HTML, and HTML alone gives its text, with cells apart, and its first link', async () => {
  const part = (type: string, body: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
  const html = `<html><head><style>p { color: red }</style><link href="https://example.com/style"></head><body><h1>NAS</h1>
    <table><tr><td>Disk</td><td>91 %</td></tr><tr><td>CPU</td><td>3 %</td></tr></table>
    <img src="https://example.com/a.png"><p>See <a class="x" href='https://nas.example.com/?a=1&amp;b=2'>here</a>.</p></body></html>`;
  const both = `Subject: x\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n${part('text/plain', 'Plain')}`;
  assert.is((await eventOf(`${both}${part('text/html', html)}--b--\r\n`)).description, 'Plain');
  const { description, url } = await eventOf(text('Content-Type: text/html', html));
  assert.is(description?.replaceAll(/\s*\n\s*/g, '|'), 'NAS|Disk 91 %|CPU 3 %|See here.');
  assert.is(url, 'https://nas.example.com/?a=1&b=2');
});

test('encoded words and charsets are read, and attachments are skipped', async () => {
  const mail = [
    'Subject: =?ISO-8859-1?Q?Gr=FC=DFe?= =?UTF-8?B?4pyF?=',
    'Content-Type: multipart/mixed; boundary=b\n',
    '--b\nContent-Type: application/pdf; name=scan.pdf\nContent-Transfer-Encoding: base64\n\nUERG',
    '--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nF=FCr Ada',
    '--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=log.txt\n\nnot shown',
    '--b--\n',
  ].join('\n');
  const { event, cut } = await published(mail);
  assert.equal([event.title, event.description, cut], ['Grüße✅', 'Für Ada', ['attachment']]);
});

test('a mail without a subject has its first line as title, one without text its subject alone', async () => {
  const { title, description } = await eventOf('To: root\n\nBackup failed\nno space left\n');
  assert.equal([title, description], ['Backup failed', 'no space left']);
  assert.is((await eventOf('Subject: Scan\n\n')).title, 'Scan');
  for (const mail of ['', '\n', 'To: root\n\n \n']) assert.is(await publicationOf(mail), null, JSON.stringify(mail));
});

test('a piped mail may begin with a line of mailboxes, or with its text', async () => {
  assert.is((await eventOf(`From root@db-1 Mon Nov 23 10:00:00 2026\n${CRON}`)).title.slice(0, 4), 'Cron');
  for (const mail of ['Backup done\nall well', '\nBackup done\nall well', 'Backup done: all\nwell: yes']) {
    assert.is((await eventOf(mail)).title.slice(0, 11), 'Backup done', mail);
  }
});

test('the most precise field of the priority decides the level, and the normal priority sets none', async () => {
  for (const [fields, expected] of [
    ['X-Priority: 1 (Highest)', 'error time_sensitive'],
    ['X-Priority: 2', 'warning time_sensitive'],
    ['X-Priority: 3 (Normal)', 'none none'],
    ['X-Priority: 3\nImportance: high', 'warning time_sensitive'],
    ['X-Priority: 4\nImportance: high', 'info standard'],
    ['Importance: High', 'warning time_sensitive'],
    ['Priority: urgent', 'error time_sensitive'],
    ['Priority: non-urgent', 'info standard'],
    ['X-MSMail-Priority: High', 'warning time_sensitive'],
    ['X-Priority: much\nImportance: high', 'warning time_sensitive'],
    ['X-Mailer: x', 'none none'],
  ] as const) {
    assert.is(await levelOf(text(fields)), expected, fields);
  }
});

test('mdadm and smartd say in their subject that something failed', async () => {
  const subjects = [
    'Fail event on /dev/md0:db-1',
    'DegradedArray event on /dev/md0:db-1',
    'SMART error (Health) detected on host: db-1',
  ];
  for (const subject of subjects) assert.is(await levelOf(`Subject: ${subject}\n\nx`), 'error none', subject);
  assert.is(await levelOf('Subject: RebuildFinished event on /dev/md0:db-1\n\nx'), 'none none');
});

test("an automatic reply makes no event; a program's mail, and a bounce, do", async () => {
  const publication = await publicationOf(text('Auto-Submitted: auto-replied (vacation)'));
  assert.equal(publication, { status: 250, reply: 'Automatic replies are ignored.' });
  const bounce = `Subject: Undelivered Mail Returned to Sender\nAuto-Submitted: auto-generated\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n
--b\n\nI could not deliver it.\n--b\nContent-Type: message/delivery-status\n\nAction: failed\n\n--b--\n`;
  assert.match(String((await eventOf(bounce)).description), 'I could not deliver it.');
});

test('when it was sent is when it happened, unless the clock of its sender is wrong', async () => {
  const { occurred_at: at } = await eventOf(text('Date: Mon, 23 Nov 2026 10:30:00 +0100 (CET)'));
  assert.is(at, '2026-11-23T09:30:00.000+00:00');
  for (const date of ['Sat, 1 Jan 2000 00:00:00 +0000', 'Tue, 24 Nov 2026 12:00:00 +0000', 'yesterday', '']) {
    assert.is((await eventOf(text(`Date: ${date}`))).occurred_at, undefined, date);
  }
});

test('the same mail again has the same key, another with the same Message-ID has another', async () => {
  const keyOf = async (mail: string) => (await published(mail)).idempotencyKey;
  const id = 'Message-ID: <1@db-1>\nDate: Mon, 23 Nov 2026 10:30:00 +0000';
  assert.ok(await keyOf(text(id)));
  assert.is(await keyOf(text(`Received: by relay\n${id}`)), await keyOf(text(id)));
  assert.is.not(await keyOf(text(id, 'Another text')), await keyOf(text(id)));
  assert.is(await keyOf(text('Date: Mon, 23 Nov 2026 10:30:00 +0000')), undefined);
});

test('recipients are those of all fields, and the name before the at sign is a channel', async () => {
  const { recipients } = await readMail(Buffer.from('To: Ada <a@x>, g: b@x, c@x;\nCc: d@x\nBcc: e\n\n'));
  assert.equal(recipients.map(channelIn), ['a', 'b', 'c', 'd', 'e']);
  assert.is(channelIn('builds+tag@example.com'), 'builds');
});

test.run();
