import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

const FOLDER = '/var/backups/pushctl';
const MADE = `ls ${FOLDER}/pushctl-*Z.db > /dev/null 2>&1`;

onAMachine('A service makes a backup by itself in the folder that operations.md names, and a drill accepts it', () =>
  withHost({}, async ({ machine }) => {
    await machine.run(`printf '[backup]\\nfolder = "${FOLDER}"\\nat = "03:00"\\n' >> /etc/pushctl/pushctl.toml`);
    const advice = await machine.run('pushctl config check || true');
    assert.match(advice, `${FOLDER} does not exist, and the service may not create it`);
    assert.match(advice, `sudo install -d -o pushctl -g pushctl -m 700 ${FOLDER}`);
    await machine.run(`install -d -o pushctl -g pushctl -m 700 ${FOLDER}`);
    assert.match(await machine.run('pushctl config check || true'), 'restart needed');
    await machine.run('systemctl restart pushctl');
    assert.match(await machine.run('pushctl config check'), `${FOLDER} is writable`);
    await machine.until(MADE);
    assert.is(await machine.run(`stat -c '%U %a' ${FOLDER}/*.db`), 'pushctl 600');
    assert.match(await machine.run(`pushctl restore --drill ${FOLDER}/*.db`), 'can be restored');
    await machine.until(`pushctl status | grep -q '^last backup .*${FOLDER}/.*; the next '`);

    // The second one replaces none that is in the way, and a stop leaves nothing half.
    await machine.run(`rm ${FOLDER}/*.db; systemctl restart pushctl; systemctl stop pushctl`);
    assert.is(await machine.run(`ls -A ${FOLDER} | grep -v '^pushctl-[-0-9T]*Z.db$' || true`), '');
    await machine.run('systemctl start pushctl');
    await machine.until(MADE);
  }),
);

onAMachine('A folder that the unit does not let the service write to is named, with what to do', () =>
  withHost({}, async ({ machine }) => {
    await machine.run(`
      install -d -o pushctl -g pushctl -m 700 /srv/backups
      printf '[backup]\\nfolder = "/srv/backups"\\n' >> /etc/pushctl/pushctl.toml
      systemctl restart pushctl`);
    assert.match(
      await machine.run('pushctl config check || true'),
      /the unit of the service does not allow it[\s\S]*ReadWritePaths="-\/srv/,
    );
    // It exits with 1, as there is no backup yet.
    await machine.until("pushctl status > /tmp/status; grep -q 'backup.folder: .*affected: backup' /tmp/status");
    await machine.run(`
      mkdir -p /etc/systemd/system/pushctl.service.d
      printf '[Service]\\nReadWritePaths="-/srv/backups"\\n' > /etc/systemd/system/pushctl.service.d/backups.conf
      systemctl daemon-reload; systemctl restart pushctl`);
    await machine.until('ls /srv/backups/pushctl-*Z.db > /dev/null 2>&1');
  }),
);

test.run();
