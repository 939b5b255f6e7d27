import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeAuthority } from '../../src/sandbox/credentials.ts';
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
    const output = await machine.run(`! ${init('/srv/certs', 443)} 2>&1`);
    assert.match(output, 'the service may not listen on port 443');
    assert.match(
      await machine.run(`! ${init('/etc/certs', 8443)} 2>&1`),
      'the service may not read /etc/certs/cert.pem',
    );
    await machine.run(`chown -R root: /etc/certs; ${init('/etc/certs', 8443)}; rm /etc/pushctl/pushctl.toml.*Z`);

    const [, command = ''] = /let systemd hold the port: sudo (.*)$/m.exec(output) ?? [];
    await machine.run(`${command}; ${init('/srv/certs', 443)}; systemctl restart pushctl`);
    const listening = (await journal()).split('\n').filter((line) => line.includes('"listening"'));
    assert.match(listening.at(-1) ?? '', 'https://[::]:443');
    assert.match(await machine.run('cat /etc/pushctl/pushctl.toml'), /^\[apns\]$/m);
    assert.is(await machine.run('ls /etc/pushctl/pushctl.toml.*Z | wc -l'), '1');
  }),
);

onAMachine(
  'config check, doctor and install find what init would have refused: the port, and files that the service cannot see',
  () =>
    withHost({}, async ({ machine }) => {
      const { certPem, keyPem } = await makeAuthority(Date.now());
      await machine.run(`
      echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start
      mkdir -p /home/ann
      printf '%s' '${certPem}' > /home/ann/cert.pem; printf '%s' '${keyPem}' > /home/ann/key.pem
      chown -R pushctl: /home/ann
      cat > /tmp/tls <<'EOT'\n[tls]\ncert = "/home/ann/cert.pem"\nkey = "/home/ann/key.pem"\nEOT
      { echo 'listen = "0.0.0.0:443"'; cat /etc/pushctl/pushctl.toml /tmp/tls; } > /tmp/all
      cat /tmp/all > /etc/pushctl/pushctl.toml`);
      for (const verb of ['config check', 'doctor', 'status', 'install 2>&1']) {
        const output = await machine.run(`! pushctl ${verb}`);
        assert.match(output, 'the service may not listen on port 443', verb);
        assert.match(output, 'the service cannot see /home, which contains /home/ann/cert.pem', verb);
        assert.match(output, 'let systemd hold the port: sudo pushctl install --port 443', verb);
      }
      await machine.run('systemctl is-active pushctl');
    }),
);

onAMachine(
  'Data that init made as root becomes the service’s at its first start, and the first owner signs in',
  async () => {
    const machine = await Machine.boot();
    try {
      for (const start of ['/opt/pushctl/bin/pushctl install', 'systemctl start pushctl']) {
        const output = await machine.run('umask 022; /opt/pushctl/bin/pushctl init --owner ada@example.com --json');
        const { owner } = JSON.parse(output) as { owner: { pairing_code: string } };
        assert.is(await machine.run('stat -c %U /var/lib/pushctl/pushctl.db'), 'root');
        await machine.run(start);
        assert.is(await machine.run('find /var/lib/pushctl ! -user pushctl -o ! -group pushctl -o -perm /077'), '');
        assert.match(await machine.run('pushctl member list main'), /ada@example\.com .*owner/);
        const body = JSON.stringify({ pairing_code: owner.pairing_code });
        assert.match(await machine.run(posting('/api/v1/session', body)), /^HTTP\/1.1 201 .*"role":"owner"/s);
        // Leaves an installation that was not started, such as a package's on a machine that forbids that.
        await machine.run('systemctl stop pushctl; rm -r /var/lib/pushctl /etc/pushctl');
      }
    } finally {
      await machine.end();
    }
  },
);

test.run();

/** A script that posts JSON to the service, and says what it answered. */
function posting(path: string, body: string): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1:8080', 'Connection: close', 'Content-Type: application/json'];
  const request = [...head, `Content-Length: ${body.length}`, '', body].join('\\r\\n');
  return `exec 3<> /dev/tcp/127.0.0.1/8080; printf '${request}' >&3; cat <&3`;
}
