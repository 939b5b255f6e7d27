import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

onAMachine(
  'Members of the group pushctl read how the service does without sudo, and neither its keys nor its data',
  () =>
    withHost({}, async ({ machine, arrived, post }) => {
      await machine.run('useradd --create-home --groups pushctl ada; useradd --create-home bob');
      await post('Disk full');
      await arrived('Disk full');
      const by = (user: string, command: string) => `runuser -l ${user} -c '${command}' 2>&1`;
      assert.match(await machine.run(by('ada', 'pushctl status')), /^pushctl: ada sees .*\n+pushctl \S+ runs since/);
      assert.match(await machine.run(by('ada', 'pushctl event list acme')), 'Disk full');
      await machine.run(by('ada', 'pushctl stats --json | grep -q "\\"events\\":1"'));
      await machine.run(`(timeout 20 ${by('ada', 'pushctl tail --json')} || true) > /tmp/seen &`);
      await machine.until('pushctl send --key-file /tmp/key alerts again > /dev/null; grep -q accepted /tmp/seen');
      assert.match(await machine.run(`! ${by('ada', 'pushctl key list')}`), 'sudo pushctl key list');
      await machine.run(`! ${by('ada', 'ls /run/pushctl')} && ! ${by('ada', 'ls /var/lib/pushctl')}`);
      for (const command of ['status', 'stats', 'event list acme', 'tail']) {
        assert.not.match(await machine.run(`! ${by('bob', `pushctl ${command}`)}`), /Disk full|runs since/);
      }

      // Leaves the state of an earlier version.
      await machine.run('chgrp -R pushctl /run/pushctl && systemctl restart pushctl-credentials');
      await machine.run(`! ${by('ada', 'ls /run/pushctl')} && ! ${by('ada', 'cat /run/pushctl/pushctl.toml')}`);
      await machine.run('systemctl reload pushctl && systemctl stop pushctl');
      assert.match(await machine.run(`! ${by('ada', 'pushctl status')}`), 'sudo pushctl status');
      await machine.run(`systemctl start pushctl && ${by('ada', 'pushctl status')} | grep -q "runs since"`);
    }),
);

test.run();
