import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SHOW, withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

onAMachine('A service that is busy with nothing is fed and stays', () =>
  withHost({ unit: 'WatchdogSec=10s' }, async (host) => {
    const pid = await host.property('MainPID');
    const first = Number(await host.property('WatchdogTimestampMonotonic'));
    await host.machine.until(`[ $(${SHOW} WatchdogTimestampMonotonic pushctl) -gt ${first + 10_000_000} ]`, 10_000);
    assert.is(await host.property('MainPID'), pid);
  }),
);

onAMachine('A reload keeps the process, and the service is ready again after it', () =>
  withHost({}, async (host) => {
    const pid = await host.property('MainPID');
    await host.machine.run('systemctl reload pushctl');
    await host.machine.until('journalctl -b -u pushctl | grep -q "read again"');
    await host.machine.until('systemctl is-active --quiet pushctl');
    assert.is(await host.property('MainPID'), pid);
    await host.post('after the reload');
    await host.arrived('after the reload');
  }),
);

onAMachine('After any command by root, every file in the data folder stays the service user’s', () =>
  withHost({}, async (host) => {
    await host.machine.run('systemctl stop pushctl');
    await host.machine.run('pushctl workspace create beta');
    assert.is(await host.machine.run('find /var/lib/pushctl ! -user pushctl'), '');
    await host.machine.run(`
      pushctl doctor || true; pushctl config check || true; pushctl __complete workspace show ''
      systemctl start pushctl && pushctl workspace create delta
      systemctl kill --signal=KILL pushctl && systemctl stop pushctl && pushctl doctor || true`);
    assert.is(await host.machine.run('find /var/lib/pushctl ! -user pushctl'), '');
    await host.machine.run('systemctl start pushctl');
    await host.machine.run('pushctl workspace create gamma && pushctl backup /var/tmp/backup.db');
    await host.machine.run('systemctl stop pushctl && pushctl restore /var/tmp/backup.db');
    assert.is(await host.machine.run('find /var/lib/pushctl ! -user pushctl'), '');
    await host.machine.run('systemctl start pushctl && pushctl workspace show gamma');
    assert.is(await host.machine.run('find /var/lib/pushctl ! -user pushctl'), '');
  }),
);

onAMachine(
  'An upgrade from a checkout leaves a service stopped and disabled that was so, and restarts one that runs',
  () =>
    withHost({}, async ({ machine, property, isBack }) => {
      const pid = await property('MainPID');
      await machine.run('/opt/pushctl/bin/pushctl install');
      await isBack(pid);
      await machine.run('systemctl disable --quiet --now pushctl');
      assert.match(await machine.run('/opt/pushctl/bin/pushctl install'), 'leave the service stopped, as it was');
      assert.is(await property('ActiveState'), 'inactive');
      assert.is(await machine.run('systemctl is-enabled pushctl || true'), 'disabled');
      await machine.run('systemctl start pushctl && pushctl status --alive');
    }),
);

onAMachine('A service that was uninstalled is gone with its man page, and its data is not', () =>
  withHost({}, async (host) => {
    assert.match(await host.machine.run('MANPAGER=cat man pushctl'), 'pushctl - turns a posted event into native push');
    await host.machine.run('pushctl uninstall');
    await host.machine.run('! man --where pushctl');
    assert.is(await host.property('LoadState'), 'not-found');
    await host.machine.run('test -s /var/lib/pushctl/pushctl.db && test -s /etc/pushctl/pushctl.toml');
  }),
);

onAMachine('A clean stop leaves nothing in the journal to look into, also while a client watches', () =>
  withHost({ unit: 'WatchdogSec=10s' }, async (host) => {
    await host.machine.run('systemd-run --quiet --unit=watcher --setenv=HOME=/root pushctl tail --json');
    await host.machine.until('journalctl -b -u pushctl | grep -q listening');
    await host.post('Deploy finished');
    await host.arrived('Deploy finished');
    await host.post('The last one');
    await host.machine.run('systemctl stop pushctl');
    const warnings = (await host.journal('-p warning'))
      .split('\n')
      .filter((line) => !line.includes('created an empty one'));
    assert.is(warnings.join('\n'), '');
    assert.match(await host.journal(), '"msg":"stopped"');
  }),
);

onAMachine('If the service cannot stay up, doctor shows its last words, with the files that the operator knows', () =>
  withHost({}, async (host) => {
    await host.machine.run(`
      printf '[metrics]\\nlisten = "127.0.0.1:8080"\\n' >> /etc/pushctl/pushctl.toml
      : > "$(ls /etc/pushctl/*.p8)"
      systemctl restart pushctl || true`);
    await host.machine.until(`[ $(${SHOW} NRestarts pushctl) -gt 1 ]`);
    // Between two starts it may be met as it runs.
    await host.machine.until('pushctl doctor > /tmp/said || true; grep -q "server: does not stay up" /tmp/said');
    const findings = await host.machine.run('cat /tmp/said');
    assert.match(findings, /FAIL {2}server: does not stay up/);
    assert.match(
      findings,
      /FAIL {2}systemd: the service keeps failing[\s\S]*metrics\.listen 127\.0\.0\.1:8080: .*address already in use/,
    );
    assert.not.match(findings, /systemctl start pushctl/);
    assert.match(findings, /apns\.key_file \(\/etc\/pushctl\/.*\.p8\)/);
    // Its own words alone: systemd may name the folder.
    const journal = await host.machine.run('journalctl --sync; journalctl -b _SYSTEMD_UNIT=pushctl.service -o cat');
    assert.match(journal, /apns\.key_file \(\/etc\/pushctl\/.*\.p8\) is not a private key/);
    assert.not.match(journal, '/run/pushctl/');
  }),
);

test.run();
