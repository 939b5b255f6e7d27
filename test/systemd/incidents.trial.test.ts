import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Host, withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { issueToken } from '../support/sandbox/tokens.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

const DATA = '/var/lib/pushctl';
const IS_READY = 'curl -fsS http://127.0.0.1:8080/readyz > /dev/null';
const BALLAST = `${DATA}/ballast`;
const CLOCK_FILE = '/usr/local/share/clock-is-off';
const HOUR_MS = 3_600_000;

onAMachine(
  'A full disk is one failure; pushes of before are recorded once there is room, and a start waits for it',
  () =>
    withHost({}, async (host) => {
      const { machine, post, arrived } = host;
      await machine.run(`
      systemctl stop pushctl; cp -a ${DATA} /root/data
      mount -t tmpfs -o size=48m,mode=700,uid=$(id -u pushctl),gid=$(id -g pushctl) tmpfs ${DATA}
      cp -a /root/data/. ${DATA}; systemctl start pushctl; systemctl stop sandbox`);
      await post('accepted before');
      await machine.run(`dd if=/dev/zero of=${BALLAST} bs=4k 2> /dev/null || true`);
      const refused = await machine.run('! pushctl send --key-file /tmp/key --retry-for 0s alerts "while full" 2>&1');
      assert.match(refused, 'cannot store anything just now');
      await machine.run('systemctl start sandbox');
      await arrived('accepted before');
      const status = await machine.run('! pushctl status');
      assert.match(status, /^FAIL {2}disk: 0 MiB are free for .*, so the server accepts no events$/m);
      assert.is(status.match(/^FAIL/gm)?.length, 1);

      await machine.run(`rm ${BALLAST}`);
      await machine.until(IS_READY);
      await machine.until("pushctl event list acme | grep -q 'accepted before *1 accepted'");
      assert.is(await pushesOf(host, 'accepted before'), 1);

      const fill = `dd if=/dev/zero of=${BALLAST} bs=4k 2> /dev/null || true`;
      await machine.run(`systemctl stop pushctl; ${fill}; ! systemctl start pushctl`);
      assert.match(await host.journal(), `there is no space left for ${DATA}/pushctl.db. Free some space`);
      await machine.run(`rm ${BALLAST}`);
      await machine.until(IS_READY);
      await post('accepted after');
      await arrived('accepted after');
    }),
);

onAMachine('A clock that is hours ahead at a start holds pushes back, and is over seconds after it is right', () =>
  withHost({}, async (host) => {
    const { machine, post, arrived } = host;
    await machine.run(`
      echo ${2 * HOUR_MS} > ${CLOCK_FILE}
      printf '[Service]\\nEnvironment=CLOCK_FILE=${CLOCK_FILE} NODE_OPTIONS=--import=/opt/pushctl/dist/test/support/set-clock.js\\n' \\
        > /etc/systemd/system/pushctl.service.d/clock.conf
      systemctl daemon-reload; systemctl restart pushctl`);
    await post('by a wrong clock');
    await machine.until("pushctl status > /tmp/status; grep -q 'pushes wait: InvalidProviderToken' /tmp/status");
    assert.match(await machine.run('cat /tmp/status'), 'Check the clock of this machine');
    await machine.run(`echo 0 > ${CLOCK_FILE}`);
    await arrived('by a wrong clock');
    assert.match(await machine.run('pushctl status'), 'Nothing to warn of');
    assert.match(await machine.run('pushctl device list acme'), / active /);
  }),
);

onAMachine('Dead tokens of a migration become inactive by themselves, or by the commands of operations.md', () =>
  withHost({}, async (host) => {
    const { machine, post, arrived } = host;
    const dead = (environment: string) =>
      Array.from({ length: 100 }, () =>
        JSON.stringify({ platform: 'ios', token: randomBytes(32).toString('hex'), environment, subscribe: ['alerts'] }),
      ).join('\\n');
    const inactive = "pushctl device list acme | grep -c 'inactive: BadDeviceToken'";
    await machine.run(`
      printf '${dead('production')}\\n' > /root/dead; pushctl device import acme ada@example.com /root/dead`);
    await post('to the living and the dead');
    await arrived('to the living and the dead');
    await machine.until(`[ "$(${inactive})" = 100 ]`);

    await machine.run(`
      printf '${dead('sandbox')}\\n' > /root/dead; pushctl device import acme ada@example.com /root/dead`);
    await post('to the dead alone');
    await machine.until("pushctl route list | grep -q '^apns_sandbox .*100 devices: BadDeviceToken'");
    const prune = 'pushctl device prune --route apns_sandbox --reason BadDeviceToken';
    assert.match(await machine.run('pushctl status'), /^warn {2}apns_sandbox: the provider has refused 100 devices/m);
    assert.match(await machine.run(prune), 'Nothing was changed');
    assert.match(await machine.run(`${prune} --yes`), '100 devices of apns_sandbox are inactive now');
    assert.match(await machine.run('pushctl status'), 'Nothing to warn of');

    const token = issueToken({ platform: 'ios' });
    await machine.run(`
      pushctl device add acme ada@example.com --platform ios --token ${token} --subscribe alerts
      pushctl sandbox --credentials /etc/pushctl fault stale=100%:apns`);
    await post('unregistered');
    await machine.until("pushctl event list acme | grep -q 'unregistered *2 unregistered'");
    await machine.run('pushctl status');
  }),
);

test.run();

async function pushesOf({ machine }: Host, title: string): Promise<number> {
  return Number(await machine.run(`journalctl --sync; journalctl -b -u sandbox -o cat | grep -c '"title":"${title}"'`));
}
