import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeAuthority } from '../../src/sandbox/credentials.ts';
import { type Host, SHOW, withHost } from '../support/host.ts';
import { knockDuring, knocked } from '../support/knocking.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);
const STATES = 'systemctl is-active pushctl.service pushctl.socket pushctl-http.socket';

onAMachine('While systemd holds the ports, no client is refused through four restarts', () =>
  onPorts(async ({ machine, property }) => {
    assert.match(await property('StatusText'), 'Listening on https://[::]:443');
    const shown = await machine.run('pushctl status || true');
    assert.match(shown, /runs since .* on https:\/\/\[::\]:443, which systemd holds \(pushctl\.socket\)$/m);
    assert.match(shown, /^Browsers are sent on to it from http:\/\/\[::\]:80$/m);
    const examined = await machine.run('pushctl doctor || true');
    assert.match(examined, /^ok +server: runs and answers on :: port 443, which systemd holds \(pushctl\.socket\)$/m);
    assert.match(examined, /^ok +pushctl\.socket: systemd holds \[::\]:443 for the server/m);
    assert.match(examined, /^ok +pushctl-http\.socket: systemd holds \[::\]:80 for the server/m);
    assert.match(await machine.run(ASK_FOR_THE_INBOX), 'Location: https://push.example.com/inbox');

    const pids = new Set<string>();
    const outcomes = await knockDuring(machine, async () => {
      for (let restart = 0; restart < 4; restart++) {
        await knocked(machine, '200', 20);
        await machine.run('systemctl restart pushctl');
        pids.add(await property('MainPID'));
      }
      await knocked(machine, '200', 20);
    });
    assert.is(pids.size, 4);
    assert.equal(Object.keys(outcomes), ['200'], JSON.stringify(outcomes));
  }),
);

onAMachine(
  'A stopped service stays stopped under connections, a killed service is back, and a mistake ends in no loop',
  () =>
    onPorts(async ({ machine, property, isBack, journal }) => {
      await knockDuring(machine, async () => {
        await knocked(machine, '200', 5);
        await machine.run('systemctl stop pushctl');
        await knocked(machine, 'ECONNREFUSED', 20);
        assert.is(await machine.run(`! ${STATES}`), 'inactive\ninactive\ninactive');
        await machine.run('systemctl start pushctl');
        assert.is(await machine.run(STATES), 'active\nactive\nactive');
        await knocked(machine, '200', 5);

        const pid = await property('MainPID');
        await machine.run('systemctl kill --signal=KILL pushctl');
        await isBack(pid);
        await knocked(machine, '200', 5);
        assert.is(await machine.run(STATES), 'active\nactive\nactive');

        await machine.run(
          'cp /etc/pushctl/pushctl.toml /root; sed -i "1i lisen = 1" /etc/pushctl/pushctl.toml; ! systemctl restart pushctl',
        );
        await knocked(machine, 'ECONNREFUSED', 20);
        assert.is(await machine.run(`! ${STATES}`), 'failed\ninactive\ninactive');
        assert.is((await journal()).match(/no such setting/g)?.length, 1);
        await machine.run('cp /root/pushctl.toml /etc/pushctl/pushctl.toml; systemctl start pushctl');
        await knocked(machine, '200', 5);
      });
    }),
);

onAMachine(
  'A port that another process has is reported, as is what is not encrypted; uninstalling gives the ports back',
  () =>
    onPorts(async ({ machine, property }) => {
      await machine.run(`
      systemctl stop pushctl
      systemd-run --quiet --unit=other ${NODE} -e "require('net').createServer().listen(443)"
      until (exec 3<> /dev/tcp/127.0.0.1/443); do sleep 0.05; done
      systemctl start pushctl`);
      assert.match(await property('StatusText'), 'Listening on https://127.0.0.1:8080');
      const output = await machine.run('pushctl status || true');
      assert.match(
        output,
        /^FAIL +pushctl\.socket: is to hold \[::\]:443 .* \(failed\): the server listens on https:/m,
      );
      await machine.run('systemctl stop other pushctl; systemctl start pushctl');
      assert.match(await property('StatusText'), 'Listening on https://[::]:443');

      await machine.run('cp /etc/pushctl/pushctl.toml /root; sed -i "/^\\[tls\\]/,\\$d" /etc/pushctl/pushctl.toml');
      const refused = await machine.run('! pushctl install --port 8443 2>&1');
      assert.match(refused, 'pushctl.socket: port 8443 can be reached from outside, and [tls] is not set');
      assert.match(await property('StatusText'), 'Listening on https://[::]:443');
      await machine.run('cp /root/pushctl.toml /etc/pushctl/pushctl.toml; pushctl install --port 127.0.0.1:8443');
      assert.match(await property('StatusText'), 'Listening on https://127.0.0.1:8443');

      await machine.run('pushctl uninstall');
      assert.is(await machine.run(`! ${STATES}`), 'inactive\ninactive\ninactive');
      assert.is(await machine.run('find /etc/systemd/system -name "pushctl*" ! -name pushctl.service.d'), '');
      assert.is(await machine.run(`${SHOW} LoadState pushctl.socket`), 'not-found');
    }),
);

test.run();

const NODE = '$(echo /opt/pushctl/node_modules/node-linux-*/bin/node)';
const ASK_FOR_THE_INBOX =
  "exec 3<> /dev/tcp/127.0.0.1/80; printf 'GET /inbox HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3; cat <&3";

/** An installed service with TLS on the ports 443 and 80, which no user but root may take. */
function onPorts(act: (host: Host) => Promise<void>): Promise<void> {
  return withHost({}, async (host) => {
    const { certPem, keyPem } = await makeAuthority(Date.now());
    await host.machine.run(`
      echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start
      printf '%s' '${certPem}' > /etc/pushctl/cert.pem; printf '%s' '${keyPem}' > /etc/pushctl/key.pem
      printf '[tls]\\ncert = "cert.pem"\\nkey = "key.pem"\\n' >> /etc/pushctl/pushctl.toml
      sed -i '1i base_url = "https://push.example.com/api"' /etc/pushctl/pushctl.toml
      pushctl install --port 443 --http-port 80`);
    await act(host);
  });
}
