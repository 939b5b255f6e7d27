import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const VERSIONS = '/usr/lib/postgresql';
const [version] = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
const obstacle = version === undefined ? 'needs PostgreSQL' : Machine.obstacle();
const PROGRAMS = join(VERSIONS, version ?? '', 'bin');
const URL = 'postgres://pushctl@127.0.0.1:5433/pushctl';

skipWhere(obstacle, test)(
  'Back to one machine, by the letter: all that waited goes out, from a folder that is the service’s',
  () =>
    withHost({}, async ({ machine, arrived, post }) => {
      const asPostgres = (command: string) => `runuser -u postgres -- ${command}`;
      await machine.run(`
      ${asPostgres(`${PROGRAMS}/initdb -D /var/tmp/database -A trust > /dev/null`)}
      ${asPostgres(`${PROGRAMS}/pg_ctl -D /var/tmp/database -l /var/tmp/database/log -o "-p 5433 -k /var/tmp" -w start`)}
      ${asPostgres('createuser -h /var/tmp -p 5433 pushctl')}
      ${asPostgres('createdb -h /var/tmp -p 5433 -O pushctl pushctl')}
      systemctl stop pushctl
      pushctl move /var/lib/pushctl '${URL}'
      printf '[store]\\nurl = "${URL}"\\n' >> /etc/pushctl/pushctl.toml
      systemctl start pushctl`);
      await post('from the cluster');
      await arrived('from the cluster');
      await machine.run('systemctl stop sandbox');
      await post('waits');

      await machine.run('systemctl stop pushctl');
      assert.match(await machine.run(`! pushctl move '${URL}' /var/lib/pushctl 2>&1`), 'has a database already');
      await machine.run(`
      mkdir /root/older && mv /var/lib/pushctl/pushctl.db* /root/older
      pushctl move '${URL}' /var/lib/pushctl
      sed -i '/^\\[store\\]/,$d' /etc/pushctl/pushctl.toml
      pushctl config check
      systemctl start sandbox pushctl`);
      await arrived('waits');
      assert.is(await machine.run('find /var/lib/pushctl ! -user pushctl'), '');
      assert.match(await machine.run('pushctl event list acme'), 'from the cluster');

      // The same into a folder of one's own.
      await machine.run(`
      systemctl stop pushctl
      install -d -o pushctl -g pushctl -m 700 /srv/pushctl
      cp -a /var/lib/pushctl/pushctl.db /srv/pushctl
      sed -i '1i data_dir = "/srv/pushctl"' /etc/pushctl/pushctl.toml`);
      assert.match(await machine.run('! pushctl config check'), 'ReadWritePaths="-/srv/pushctl"');
      await machine.run('/opt/pushctl/bin/pushctl install && pushctl config check');
      assert.match(await machine.run('pushctl event list acme'), 'from the cluster');
    }),
);

test.run();
