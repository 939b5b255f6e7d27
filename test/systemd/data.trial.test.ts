import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

onAMachine('A forgotten sudo makes no database, and is answered with the command to run', () =>
  withHost({}, async ({ machine }) => {
    await machine.run('useradd --create-home ada');
    const asAda = (command: string) => machine.run(`! runuser -l ada -c '${command}' 2>&1`);
    assert.match(await asAda('pushctl workspace list'), 'in /var/lib/pushctl: sudo pushctl workspace list');
    assert.match(await asAda('pushctl workspace create mine'), 'in /var/lib/pushctl: sudo pushctl workspace create');
    assert.match(await asAda('pushctl backup copy.db'), 'sudo pushctl backup');
    for (const verb of ['status', 'tail', 'doctor'])
      assert.match(await asAda(`pushctl ${verb}`), `To see its data: sudo pushctl ${verb}`);
    const doctored = await asAda('pushctl doctor');
    assert.match(doctored, /^pushctl: ada sees /);
    assert.not.match(doctored, 'deleted');
    assert.match(doctored, 'the service of this machine probably answers');
    for (const verb of ['config check', 'config show'])
      assert.match(await machine.run(`runuser -l ada -c 'pushctl ${verb}' 2>&1`), `To read it: sudo pushctl ${verb}`);
    assert.is(await machine.run('find /home/ada -name "*.db*"'), '');
    assert.match(await machine.run('pushctl workspace list'), 'acme');
  }),
);

onAMachine(
  'send by another user than root needs the address of a service that does not use the defaults, and says so',
  () =>
    withHost({}, async ({ machine, arrived }) => {
      await machine.run(`
      useradd --create-home ada && chmod 644 /tmp/key
      sed -i '1i listen = "127.0.0.1:8081"' /etc/pushctl/pushctl.toml
      systemctl restart pushctl`);
      const send = (options: string) =>
        `runuser -l ada -c 'pushctl send --key-file /tmp/key --retry-for 0s alerts "by ada" ${options}' 2>&1`;
      const output = await machine.run(`! ${send('')}`);
      assert.match(output, 'no answer from http://127.0.0.1:8080/api');
      assert.match(output, 'only root may read /etc/pushctl/pushctl.toml');
      assert.match(output, '--server');
      const shown = await machine.run(`pushctl status --json | sed 's/.*"url":"\\([^"]*\\)".*/\\1/'`);
      await machine.run(send(`--server ${shown}/api`));
      await arrived('by ada');
    }),
);

onAMachine('A moved data folder is reported as missing with the commands that return it to the working service', () =>
  withHost({}, async ({ machine, arrived, post }) => {
    await machine.run('systemctl stop sandbox');
    await post('accepted before');
    await machine.run(`
      systemctl stop pushctl
      cp -r /var/lib/pushctl /srv/pushctl
      sed -i '1i data_dir = "/srv/pushctl"' /etc/pushctl/pushctl.toml`);
    const advice = 'pushctl config check || true';
    assert.match(
      await machine.run(advice),
      /FAIL +data_dir: the unit of the service does not allow it to write to \/srv\/pushctl/,
    );
    assert.match(await machine.run(advice), 'systemctl edit pushctl');
    assert.match(await machine.run(advice), 'ReadWritePaths="-/srv/pushctl"');
    assert.match(
      await machine.run('pushctl doctor || true'),
      'the unit of the service does not allow it to write to /srv/pushctl',
    );
    // Runs the commands literally, but without an editor.
    await machine.run(`
      mkdir -p /etc/systemd/system/pushctl.service.d
      printf '[Service]\\nReadWritePaths="-/srv/pushctl"\\n' > /etc/systemd/system/pushctl.service.d/override.conf
      systemctl daemon-reload`);
    assert.match(await machine.run(advice), /belongs to user 0, but .*\n.*chown -hR pushctl: \/srv\/pushctl/);
    await machine.run('chown -hR pushctl: /srv/pushctl && pushctl config check && systemctl start pushctl sandbox');
    await arrived('accepted before');
    await machine.run('rm /etc/systemd/system/pushctl.service.d/override.conf && /opt/pushctl/bin/pushctl install');
    assert.match(await machine.run('cat /etc/systemd/system/pushctl.service.d/data-dir.conf'), '/srv/pushctl');
    await machine.run('pushctl config check && pushctl workspace list | grep -q acme');
  }),
);

onAMachine('A data folder that is not there, or on a way that is closed, is found before the service fails on it', () =>
  withHost({}, async ({ machine }) => {
    await machine.run(`
      sed -i '1i data_dir = "/srv/private/pushctl"' /etc/pushctl/pushctl.toml
      mkdir -p -m 700 /srv/private
      printf '[Service]\\nReadWritePaths="-/srv/private/pushctl"\\n' > /etc/systemd/system/pushctl.service.d/override.conf
      systemctl daemon-reload`);
    for (const verb of ['config check', 'doctor']) {
      const output = await machine.run(`! pushctl ${verb}`);
      assert.match(output, /\/srv\/private\/pushctl does not exist, .*may not create it/);
      assert.match(output, 'sudo install -d -o pushctl -g pushctl -m 700 /srv/private/pushctl');
    }
    await machine.run('install -d -o pushctl -g pushctl -m 700 /srv/private/pushctl');
    assert.match(
      await machine.run('! pushctl config check'),
      /cannot reach .*: its user pushctl has no access to \/srv\/private/,
    );
    await machine.run(`
      chmod o+x /srv/private && pushctl config check && rm -r /srv/private/pushctl
      rm /etc/systemd/system/pushctl.service.d/override.conf
      sed -i '1d' /etc/pushctl/pushctl.toml && sed -i '1i data_dir = "/srv/data/pushctl"' /etc/pushctl/pushctl.toml
      /opt/pushctl/bin/pushctl install
      pushctl config check && systemctl is-active pushctl`);
    assert.is(await machine.run('stat -c "%U %a" /srv/data/pushctl'), 'pushctl 700');
    assert.match(await machine.run('systemctl show -p StatusText --value pushctl'), 'Listening');
  }),
);

onAMachine('A service whose database is deleted refuses posts, says so, and goes on with what it saved', () =>
  withHost({}, async ({ machine, arrived, post, property }) => {
    const pid = await property('MainPID');
    await machine.run('systemctl stop sandbox');
    await post('accepted before');
    await machine.run('rm -rf /var/lib/pushctl/*');
    await machine.until(`journalctl -b -u pushctl -p err -o cat | grep -q 'all of the database is saved'`);
    await machine.run('! pushctl send --key-file /tmp/key --retry-for 0s alerts "never accepted"');
    assert.match(
      await machine.run('pushctl doctor || true'),
      'pushctl restore --resend /var/lib/pushctl/pushctl.db.rescued-',
    );
    assert.is(await property('MainPID'), pid, 'and is not restarted');

    await machine.run('systemctl restart --no-block pushctl');
    await machine.until(`journalctl -b -u pushctl -o cat | grep -q '^pushctl: there is no .*restore --resend'`);
    await machine.run(`
      systemctl stop pushctl
      pushctl restore --resend /var/lib/pushctl/pushctl.db.rescued-*Z
      systemctl start sandbox pushctl`);
    await arrived('accepted before');
    assert.is(await machine.run('stat -c %U /var/lib/pushctl/pushctl.db'), 'pushctl');
  }),
);

test.run();
