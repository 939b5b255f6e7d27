import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/folder.ts';
import { problemOf } from '../support/problem.ts';

/** A contact that Apple refuses makes it refuse every push: BadJwtToken. */
const CONTACTS: readonly (readonly [contact: string, isGood: boolean])[] = [
  ['mailto:ops@example.com', true],
  ['MAILTO:Ops@Example.COM', true],
  ['mailto:ops+push@mail.example.co.uk', true],
  ['mailto:ops@xn--bcher-kva.example.com', true],
  ['https://example.com', true],
  ['https://example.com/contact?about=push', true],
  ['', false],
  ['ops@example.com', false],
  ['mailto:', false],
  ['mailto:ops', false],
  ['mailto:ops@', false],
  ['mailto:@example.com', false],
  ['mailto:ops@localhost', false],
  ['mailto:ops@server', false],
  ['mailto:ops@printer.local', false],
  ['mailto:ops@PRINTER.LOCAL', false],
  ['mailto:ops@push.localhost', false],
  ['mailto:ops@push.internal', false],
  ['mailto:ops@router.lan', false],
  ['mailto:ops@nas.home.arpa', false],
  ['mailto:ops@site.test', false],
  ['mailto:ops@site.example', false],
  ['mailto:ops@site.invalid', false],
  ['mailto:ops@127.0.0.1', false],
  ['mailto:ops@[::1]', false],
  ['mailto:ops@example.com.', false],
  ['mailto:ops@-example.com', false],
  ['mailto:a@example.com,b@example.com', false],
  ['mailto:ops@example.com?subject=push', false],
  ['mailto: ops@example.com', false],
  ['http://example.com', false],
  ['https://localhost/', false],
  ['https://10.0.0.1/', false],
  ['https://[::1]/', false],
  ['https://push.local/', false],
  ['https://me@example.com/', false],
  ['tel:+123', false],
  [`mailto:${'a'.repeat(250)}@example.com`, false],
];

for (const [contact, isGood] of CONTACTS) {
  test(`the contact "${contact.slice(0, 60)}" is ${isGood ? 'taken' : 'refused'}`, () => {
    if (isGood) assert.is(configured(contact).webpush?.contact, contact);
    else if (contact === '') assert.is(configured(contact).webpush, null);
    else assert.match(problemOf(() => configured(contact)).message, /webpush\.contact .*Apple refuses others/);
  });
}

test('a table without a contact, a host that is an address, and an endpoint that is no origin are mistakes', () => {
  const mistakes = problemOf(() =>
    loadConfig({
      env: {
        PUSHCTL_WEBPUSH_HOSTS: 'push.example.com,10.0.0.1',
        PUSHCTL_WEBPUSH_ENDPOINTS: 'fcm.googleapis.com=https://127.0.0.1:1,https://web.push.apple.com=http://x',
      },
      file: null,
      dataDir: temporaryFolder(),
    }),
  ).message;
  assert.match(mistakes, 'webpush.contact is missing: expected mailto: and an address');
  assert.match(mistakes, /webpush\.hosts\[1\] .*"10\.0\.0\.1": expected a public host name/);
  assert.match(mistakes, 'origins such as https://fcm.googleapis.com');
  assert.match(
    mistakes,
    /webpush\.endpoints\.https:\/\/web\.push\.apple\.com .*"http:\/\/x": expected an https address/,
  );
});

test.run();

function configured(contact: string) {
  return loadConfig({ env: { PUSHCTL_WEBPUSH_CONTACT: contact }, file: null, dataDir: temporaryFolder() });
}
