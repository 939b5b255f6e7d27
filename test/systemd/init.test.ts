import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeAuthority } from '../../src/sandbox/certificates.ts';
import { withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

onAMachine('init takes neither a port nor a file that the service has no right to, until it has it', () =>
  withHost({}, async ({ machine, journal }) => {
    const { certPem, keyPem } = await makeAuthority(Date.now());
    await machine.run(`
      echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start
      mkdir -m 700 /etc/certs /srv/certs
      printf '%s' '${certPem}' | tee /etc/certs/cert.pem > /srv/certs/cert.pem
      printf '%s' '${keyPem}' | tee /etc/certs/key.pem > /srv/certs/key.pem
      chown -R pushctl: /srv/certs; chown -R nobody: /etc/certs`);
    const init = (folder: string, port: number) =>
      `pushctl init --force --listen 0.0.0.0:${port} --tls-cert ${folder}/cert.pem --tls-key ${folder}/key.pem`;
    const said = await machine.run(`! ${init('/srv/certs', 443)} 2>&1`);
    assert.match(said, 'the service may not listen on port 443');
    assert.match(
      await machine.run(`! ${init('/etc/certs', 8443)} 2>&1`),
      'the service may not read /etc/certs/cert.pem',
    );
    await machine.run(`chown -R root: /etc/certs; ${init('/etc/certs', 8443)}; rm /etc/pushctl/pushctl.toml.*Z`);

    const lines = said.split('\n').filter((line) => line.startsWith('    '));
    await machine.run(`
      printf '%s\\n' ${lines.map((line) => `'${line.trim()}'`).join(' ')} > /etc/systemd/system/pushctl.service.d/port.conf
      systemctl daemon-reload
      ${init('/srv/certs', 443)}
      systemctl restart pushctl`);
    const listening = (await journal()).split('\n').filter((line) => line.includes('"listening"'));
    assert.match(listening.at(-1) ?? '', 'https://0.0.0.0:443');
    assert.match(await machine.run('cat /etc/pushctl/pushctl.toml'), /^\[apns\]$/m);
    assert.is(await machine.run('ls /etc/pushctl/pushctl.toml.*Z | wc -l'), '1');
  }),
);

test.run();
