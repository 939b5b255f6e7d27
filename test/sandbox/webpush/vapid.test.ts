import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openVapidReader } from '../../../src/sandbox/webpush/vapid.ts';
import { OUR_KEYS, vapidHeader } from '../../support/web-push.ts';

const ORIGIN = 'https://push.example.net';

test('A good header is good until it expires, and then no more', () => {
  const read = openVapidReader([ORIGIN]);
  const nowS = Math.floor(Date.now() / 1000);
  const header = vapidHeader(ORIGIN, { claims: { exp: nowS + 60 } });
  const at = (s: number) => read(header, s * 1000).fault;
  assert.equal([at(nowS), at(nowS + 59), at(nowS + 60)], [null, null, 'expired']);
  assert.equal(read(header, nowS * 1000), { key: OUR_KEYS.publicKey, origin: ORIGIN, fault: null });
});

test('The two parameters may stand in either order, and the scheme in capitals', () => {
  const read = openVapidReader([ORIGIN]);
  const [token = '', key = ''] = vapidHeader(ORIGIN).replace('vapid ', '').split(', ');
  for (const header of [`vapid ${key}, ${token}`, `VAPID ${token},${key}`, `vapid  ${token} , ${key}`]) {
    assert.is(read(header, Date.now()).fault, null, header);
  }
  for (const header of [`vapid ${token}`, `vapid ${key}`, `vapid ${token}, ${token}`, `${token}, ${key}`]) {
    assert.is(read(header, Date.now()).fault, 'malformed', header);
  }
});

test('A contact is public if its host is a possible domain', () => {
  const read = openVapidReader([ORIGIN]);
  const faultOf = (contact: string) => read(vapidHeader(ORIGIN, { contact }), Date.now()).fault;
  for (const contact of ['mailto:a@example.com', 'https://example.com', 'https://push.example.com/contact']) {
    assert.is(faultOf(contact), null, contact);
  }
  for (const host of ['localhost', 'nas.local', 'nas.lan', 'nas.home.arpa', 'x.internal', 'x.test', 'x.example']) {
    assert.is(faultOf(`mailto:a@${host}`), 'local_contact', host);
    assert.is(faultOf(`https://${host}/`), 'local_contact', host);
  }
  assert.equal([faultOf('https://10.0.0.1'), faultOf('a@example.com')], ['local_contact', 'no_contact']);
});

test.run();
