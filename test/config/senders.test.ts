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

test.run();
