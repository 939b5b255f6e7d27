import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

/** An address without an authority. */
const CONFIGURED = `
  sed -i '1i listen = "127.0.0.1:8443"' /etc/pushctl/pushctl.toml
  printf '[tls.acme]\\ndomains = ["push.example.com"]\\ndirectory = "https://127.0.0.1:9/dir"\\n' >> /etc/pushctl/pushctl.toml`;

onAMachine('The process that asks for a certificate works within the walls of the service', () =>
  withHost({}, async ({ machine }) => {
    await machine.run(CONFIGURED);
    await machine.run('systemctl restart pushctl');
    await machine.until("(pushctl status || true) | grep -q 'cannot reach .*: connect ECONNREFUSED 127.0.0.1:9'");
    const files = await machine.run('cd /var/lib/pushctl; stat -c "%n %U %a" tls tls/*');
    assert.equal(files.trim().split('\n').sort(), [
      'tls pushctl 700',
      'tls/account.pem pushctl 600',
      'tls/state.json pushctl 600',
    ]);
    assert.match(
      await machine.run('pushctl doctor || true'),
      'the server shows a self-signed one, which no client trusts',
    );
  }),
);

test.run();
