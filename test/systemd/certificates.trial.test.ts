import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Host, withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

const LIVE = '/etc/letsencrypt/live/push.example.com';
/**
 * Writes like certbot: numbered files in an archive, links to the newest, and folders that are closed to all but root.
 */
const RENEW = `
  live=${LIVE}; archive=/etc/letsencrypt/archive/push.example.com
  mkdir -p -m 700 /etc/letsencrypt/live /etc/letsencrypt/archive
  mkdir -p $live $archive
  umask 077
  n=$(( $(find $archive -name 'privkey*' | wc -l) + 1 ))
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 60 -subj /CN=push.example.com \\
    -addext subjectAltName=DNS:push.example.com -keyout $archive/privkey$n.pem -out $archive/fullchain$n.pem 2> /dev/null
  for name in privkey fullchain; do ln -sfn ../../archive/push.example.com/$name$n.pem $live/$name.pem; done`;
const FINGERPRINT = 'openssl x509 -noout -fingerprint -sha256';
const SERVED = `true | openssl s_client -connect 127.0.0.1:8443 2> /dev/null | ${FINGERPRINT}`;
const isServed = (file: string) => `[ "$(${SERVED})" = "$(${FINGERPRINT} -in ${file})" ]`;
/** A look a second, in place of one a minute. */
const OFTEN = `
  mkdir -p /etc/systemd/system/pushctl-credentials.timer.d
  printf '[Timer]\\nOnUnitInactiveSec=1s\\n' > /etc/systemd/system/pushctl-credentials.timer.d/test.conf
  systemctl daemon-reload; systemctl restart pushctl-credentials.timer`;

onAMachine('A certificate that certbot renews in its own folder is served without anybody doing anything', () =>
  withHost({}, async ({ machine, property, journal }) => {
    await machine.run(RENEW);
    await serveHttps(machine, `${LIVE}/fullchain.pem`, `${LIVE}/privkey.pem`);
    const pid = await property('MainPID');
    await machine.run(isServed(`${LIVE}/fullchain.pem`));
    await machine.run(OFTEN);
    await machine.run(RENEW);
    await machine.until(isServed(`${LIVE}/fullchain.pem`));
    assert.is(await property('MainPID'), pid);
    assert.match(await journal(), 'the server uses a renewed certificate');
  }),
);

onAMachine(
  'Doctor sees that a certificate beside the configuration is newer than the one that is served, and a reload takes it',
  () =>
    withHost({}, async ({ machine, property }) => {
      const copy = `install -m 600 ${LIVE}/fullchain.pem /etc/pushctl/tls.crt; install -m 600 ${LIVE}/privkey.pem /etc/pushctl/tls.key`;
      await machine.run(`${RENEW}; ${copy}`);
      await serveHttps(machine, 'tls.crt', 'tls.key');
      const pid = await property('MainPID');
      await machine.run('systemctl stop pushctl-credentials.timer');
      await machine.run(`sleep 1; ${RENEW}; ${copy}`);
      const doctor = await machine.run('pushctl doctor || true');
      assert.match(doctor, 'a newer one lies in /etc/pushctl/tls.crt');
      assert.match(doctor, 'systemctl reload pushctl');
      await machine.run('systemctl reload pushctl');
      await machine.until(isServed('/etc/pushctl/tls.crt'));
      assert.match(await machine.run('pushctl doctor || true'), '/etc/pushctl/tls.crt is served');
      assert.is(await property('MainPID'), pid);
    }),
);

onAMachine('Links in the folder of the configuration work, and what else lies there does no harm', () =>
  withHost({}, async ({ machine }) => {
    await machine.run(RENEW);
    await machine.run(`
      ln -s ${LIVE}/fullchain.pem /etc/pushctl/tls.crt; ln -s ${LIVE}/privkey.pem /etc/pushctl/tls.key
      head -c 3M /dev/zero > /etc/pushctl/dump.bin; ln -s /nowhere /etc/pushctl/dangling; mkfifo /etc/pushctl/pipe`);
    await serveHttps(machine, 'tls.crt', 'tls.key');
    await machine.run('systemctl is-active pushctl && pushctl config check');
    await machine.run(isServed(`${LIVE}/fullchain.pem`));
  }),
);

onAMachine('A file that cannot be copied for the service is named before a restart', () =>
  withHost({}, async ({ machine }) => {
    await machine.run(`${RENEW}
      mkdir /srv/certs; cp ${LIVE}/*.pem /srv/certs; chown -R nobody: /srv/certs`);
    await configured(machine, '/srv/certs/fullchain.pem', '/srv/certs/privkey.pem');
    const check = await machine.run('pushctl config check || true');
    assert.match(check, 'the service may not read /srv/certs/privkey.pem');
    assert.match(check, 'make /srv/certs writable by root only');
    assert.match(await machine.run('pushctl install 2>&1 || true'), 'the service may not read /srv/certs/privkey.pem');
    await machine.run('systemctl is-active pushctl');
    await machine.run('systemctl start pushctl-credentials && ! ls /run/pushctl/tls.key-*');
  }),
);

onAMachine('The copy of a key that the configuration names no more stays for as long as the service runs', () =>
  withHost({}, async ({ machine }) => {
    const copies = () => machine.run('ls /run/pushctl/tls.key-* | wc -l');
    await machine.run(`${RENEW}; cp -L ${LIVE}/privkey.pem /etc/pushctl/other.key`);
    await serveHttps(machine, `${LIVE}/fullchain.pem`, `${LIVE}/privkey.pem`);
    await machine.run(`sed -i 's/^key = .*/key = "other.key"/' /etc/pushctl/pushctl.toml`);
    await machine.run('systemctl start pushctl-credentials');
    assert.is(await copies(), '2');
    await machine.run('systemctl restart pushctl');
    assert.is(await copies(), '1');
    await machine.run(isServed(`${LIVE}/fullchain.pem`));
  }),
);

test.run();

/** The sandbox's configuration, with TLS. */
async function configured(machine: Host['machine'], cert: string, key: string): Promise<void> {
  await machine.run(`
    sed -i '1i listen = "127.0.0.1:8443"' /etc/pushctl/pushctl.toml
    printf '[tls]\\ncert = "${cert}"\\nkey = "${key}"\\n' >> /etc/pushctl/pushctl.toml`);
}

async function serveHttps(machine: Host['machine'], cert: string, key: string): Promise<void> {
  await configured(machine, cert, key);
  await machine.run('systemctl restart pushctl');
}
