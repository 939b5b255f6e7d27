import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { issueToken } from '../support/sandbox/tokens.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

onAMachine('A service whose main loop stands still is restarted, and all accepted events are delivered', () =>
  withHost({ unit: 'WatchdogSec=5s' }, async (host) => {
    await host.machine.run('systemctl stop sandbox');
    await host.post('before the standstill');
    const pid = await host.property('MainPID');
    await host.machine.run(`kill -STOP ${pid}`);
    await host.isBack(pid);
    assert.match(await host.journal(), 'Watchdog timeout');
    await host.machine.run('systemctl start sandbox');
    await host.arrived('before the standstill');
  }),
);

onAMachine('A stop gets the time that it needs to finish its sends, with any time-out of the unit', () =>
  withHost({ unit: 'TimeoutStopSec=5s' }, async ({ machine, post, property }) => {
    const second = issueToken({ platform: 'ios' });
    await machine.run(`
      sed -i 's/^stop_timeout.*/stop_timeout = "20s"/' /etc/pushctl/pushctl.toml
      systemctl restart pushctl
      pushctl device add acme ada@example.com --platform ios --token ${second} --subscribe alerts
      pushctl sandbox --credentials /etc/pushctl fault slow=9s`);
    await post('slow');
    await machine.run('systemctl stop pushctl');
    assert.is(await property('Result'), 'success');
    const { events } = JSON.parse(await machine.run('pushctl event list acme --json'));
    assert.is(events[0].deliveries.accepted, 2);
  }),
);

onAMachine('A new version takes over in place, and everything that the old one had accepted is delivered', () =>
  withHost({}, async (host) => {
    await host.machine.run('systemctl stop sandbox');
    await host.post('accepted by the old version');
    await host.machine.run(`
    mkdir /opt/next && cd /opt/pushctl && cp -r bin dist schemas systemd src package.json /opt/next
    ln -s /opt/pushctl/node_modules /opt/next/node_modules
    sed -i 's/"version": ".*"/"version": "9.9.9"/' /opt/next/package.json
    /opt/next/bin/pushctl install`);
    // A build from a checkout says its commit as well.
    assert.match(await host.machine.run('pushctl --version'), /^9\.9\.9(?:\+|$)/);
    assert.match(await host.journal(), '"version":"9.9.9');
    await host.machine.run('systemctl start sandbox');
    await host.arrived('accepted by the old version');
  }),
);

test.run();
