import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../src/config/load.ts';
import { withFile } from '../support/config.ts';
import { problemOf } from '../support/problem.ts';

test('hosts of formats are read from the file, or from the environment over it', () => {
  withFile('[senders.hosts]\n"ntfy.example.com" = "ntfy"\nhooks = "slack"', (file) => {
    assert.equal(loadConfig({ env: {}, file }).senders.hosts, { 'ntfy.example.com': 'ntfy', hooks: 'slack' });
    const env = { PUSHCTL_SENDERS_HOSTS: 'a.example.com=gotify, b.example.com=grafana' };
    assert.equal(loadConfig({ env, file }).senders.hosts, { 'a.example.com': 'gotify', 'b.example.com': 'grafana' });
  });
  assert.equal(loadConfig({ env: {}, file: null }).senders.hosts, {});
});

test('a host that is none, and a format that does not exist, are named with what is expected', () => {
  const hosts = '"https://ntfy.example.com" = "ntfy"\n"NTFY.example.com" = "ntfy"\n"b.example.com" = "telex"';
  withFile(`[senders.hosts]\n${hosts}`, (file) => {
    const { message } = problemOf(() => loadConfig({ env: {}, file }));
    assert.match(
      message,
      /senders\.hosts is "(?:https:\/\/ntfy|NTFY)\.example\.com": expected a table whose names are host/,
    );
    assert.match(
      message,
      'senders.hosts.b.example.com is "telex": expected ntfy, gotify, alertmanager, grafana, slack, pagerduty or json',
    );
  });
});

test('mail is taken at the address that the file or the environment names, and not at all by default', () => {
  assert.equal(loadConfig({ env: {}, file: null }).senders.smtp, {
    listen: null,
    listenTls: null,
    unencryptedFrom: [],
  });
  withFile('[senders.smtp]\nlisten = "127.0.0.1:2525"', (file) => {
    const { smtp, hosts } = loadConfig({ env: {}, file }).senders;
    assert.equal(
      [smtp, hosts],
      [{ listen: { host: '127.0.0.1', port: 2525 }, listenTls: null, unencryptedFrom: [] }, {}],
    );
    const env = {
      PUSHCTL_SENDERS_SMTP_LISTEN: '[::1]:25',
      PUSHCTL_SENDERS_SMTP_UNENCRYPTED_FROM: '10.0.0.7, fe80::/64',
    };
    assert.equal(loadConfig({ env, file }).senders.smtp, {
      listen: { host: '::1', port: 25 },
      listenTls: null,
      unencryptedFrom: ['10.0.0.7', 'fe80::/64'],
    });
  });
});

test('mail that others could read is taken only if a setting allows it', () => {
  const open = '[senders.smtp]\nlisten = ":2525"\n';
  withFile(open, (file) => {
    const { message } = problemOf(() => loadConfig({ env: {}, file }));
    assert.match(
      message,
      'senders.smtp.listen is ":2525", open to the network without encryption: expected a loopback',
    );
  });
  for (const more of ['unencrypted_from = ["192.168.1.0/24"]', '[tls]\ncert = "a.pem"\nkey = "b.pem"']) {
    withFile(open + more, (file) => assert.is(loadConfig({ env: {}, file }).senders.smtp.listen?.port, 2525));
  }
  withFile('[senders.smtp]\nlisten_tls = ":465"\n', (file) => {
    const { message } = problemOf(() => loadConfig({ env: {}, file }));
    assert.match(message, 'senders.smtp.listen_tls is ":465" without a [tls] table');
  });
  withFile(`${open}unencrypted_from = ["nas.local"]`, (file) => {
    const { message } = problemOf(() => loadConfig({ env: {}, file }));
    assert.match(message, 'senders.smtp.unencrypted_from[0] is "nas.local": expected an address or a network');
  });
});

test('two listeners have no port in common, unless their addresses differ', () => {
  const tls = '[tls]\ncert = "a.pem"\nkey = "b.pem"\n';
  const textFor = (listen: string, listenTls: string) =>
    `listen = "127.0.0.1:8080"\n${tls}[senders.smtp]\nlisten = "${listen}"\nlisten_tls = "${listenTls}"\n`;
  for (const [listen, listenTls, mistake] of [
    [
      ':465',
      '127.0.0.1:465',
      'senders.smtp.listen_tls is "127.0.0.1:465": expected another port than senders.smtp.listen has',
    ],
    ['127.0.0.1:8080', ':465', 'senders.smtp.listen is "127.0.0.1:8080": expected another port than listen has'],
  ] as const) {
    withFile(textFor(listen, listenTls), (file) => {
      assert.match(problemOf(() => loadConfig({ env: {}, file })).message, mistake);
    });
  }
  for (const [listen, listenTls] of [
    ['127.0.0.1:465', '127.0.0.2:465'],
    ['127.0.0.1:0', '127.0.0.1:0'],
    [':25', ':465'],
  ] as const)
    withFile(textFor(listen, listenTls), (file) => assert.ok(loadConfig({ env: {}, file })));
});

test.run();
