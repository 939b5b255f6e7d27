import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Host, withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

/** Debian's package, whose units start each cluster of the machine. */
const isPackaged = existsSync('/usr/bin/pg_createcluster');
const onAMachine = skipWhere(isPackaged ? Machine.obstacle() : 'needs Debian’s package of PostgreSQL', test);
const URL = 'postgres://pushctl@localhost/pushctl?host=/run/postgresql';
const SERVICES = 'postgresql pushctl sandbox';

onAMachine('A restart of a machine with its own PostgreSQL loses nothing that waits', () =>
  withHost({}, async ({ machine, post, arrived }) => {
    await moveToPostgres(machine);
    await post('before the restart');
    await arrived('before the restart');
    await machine.run('systemctl stop sandbox');
    await post('waits');

    // The key lies in the machine’s memory.
    await machine.run('cp /tmp/key /root/key');
    await machine.reboot();
    await machine.run(`! systemctl is-active --quiet pushctl; systemctl start ${SERVICES}; cp /root/key /tmp/key`);
    await arrived('waits');
    await post('after the restart');
    await arrived('after the restart');
    const began = async (unit: string) =>
      Number(await machine.run(`systemctl show --value --property ActiveEnterTimestampMonotonic ${unit}`));
    assert.ok((await began('postgresql')) < (await began('pushctl')), 'the database was there first');
    assert.not.match(await machine.run('journalctl -b -u pushctl -o cat'), 'database lost');
  }),
);

onAMachine(
  'A server that starts before its PostgreSQL does waits for it, says so, and sends as soon as it is there',
  () =>
    withHost({}, async (host) => {
      const { machine, post, arrived } = host;
      await moveToPostgres(machine);
      await machine.run('systemctl stop sandbox');
      await post('waits');
      await machine.run(
        'systemctl stop pushctl postgresql; systemctl start sandbox; systemctl start --no-block pushctl',
      );
      await machine.until('journalctl -b -u pushctl -o cat | grep -q "ECONNREFUSED\\|ENOENT\\|cannot be reached"');
      await machine.run('systemctl start postgresql');
      await arrived('waits');
      await machine.until('systemctl is-active --quiet pushctl');
    }),
);

onAMachine('If PostgreSQL goes away under it the server stays, says so in status and doctor, and goes on with it', () =>
  withHost({}, async (host) => {
    const { machine, post, arrived, property } = host;
    await moveToPostgres(machine);
    await post('before');
    await arrived('before');
    const pid = await property('MainPID');

    await machine.run('systemctl kill --signal=KILL postgresql@15-main');
    assert.match(await machine.run('pushctl status 2>&1 || true'), /^FAIL +database/m);
    assert.match(await machine.run('pushctl doctor 2>&1 || true'), /^FAIL +database/m);
    await machine.run('! pushctl send --key-file /tmp/key alerts refused');
    await machine.run('systemctl restart postgresql');
    await machine.until('pushctl send --key-file /tmp/key alerts afterwards');
    await arrived('afterwards');
    assert.is(await property('MainPID'), pid, 'the server needed no restart');

    await machine.run(`kill -9 ${pid}; systemctl restart postgresql`);
    await host.isBack(pid);
    await post('both came back');
    await arrived('both came back');
  }),
);

/** Sets it up like docs/scale-out.md: by the system’s user, over the socket. */
async function moveToPostgres(machine: Host['machine']): Promise<void> {
  await machine.run(`
    systemctl start postgresql
    cluster=$(ls -d /etc/postgresql/*/main)
    echo 'pushctl pushctl pushctl' >> "$cluster/pg_ident.conf"
    echo 'pushctl root pushctl' >> "$cluster/pg_ident.conf"
    sed -i '1i local pushctl pushctl peer map=pushctl' "$cluster/pg_hba.conf"
    systemctl reload postgresql
    cd / && runuser -u postgres -- psql -q -c 'CREATE ROLE pushctl LOGIN' \
      -c "CREATE DATABASE pushctl OWNER pushctl ENCODING 'UTF8' TEMPLATE template0"
    systemctl stop pushctl
    pushctl move /var/lib/pushctl '${URL}'
    printf '[store]\\nurl = "${URL}"\\n' >> /etc/pushctl/pushctl.toml
    systemctl start pushctl`);
}

test.run();
