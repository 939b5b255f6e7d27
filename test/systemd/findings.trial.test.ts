import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../src/process/finding.ts';
import { type Host, withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

const onAMachine = skipWhere(Machine.obstacle(), test);

const DATABASE = '/var/lib/pushctl/pushctl.db';
const BACKUP = '/var/backups/pushctl.db';
/** Their rows make the database much larger than the garbage, which lies in its middle. */
const DEVICES = 60_000;
const GARBAGE_MIB = 16;
const BACKLOG_AGE_MS = 20 * 60_000;
const IMPORT = `
  seq -w ${DEVICES} | while read -r n; do
    echo "{\\"platform\\":\\"android\\",\\"token\\":\\"c$n:APA91b${'Q'.repeat(134)}\\",\\"subscribe\\":[\\"alerts\\"]}"
  done | pushctl device import acme ada@example.com -`;
const MAKE_OLD = `
  cd /opt/pushctl && node_modules/node-linux-*/bin/node -e '
    const db = require("better-sqlite3")("${DATABASE}");
    db.exec("UPDATE event SET received_at = received_at - ${BACKLOG_AGE_MS}");'`;
const SPOIL = `
  middle=$(($(stat -c %s ${DATABASE}) / 1048576 / 2))
  dd if=/dev/urandom of=${DATABASE} bs=1M count=${GARBAGE_MIB} seek=$middle conv=notrunc status=none`;

onAMachine(
  'status, doctor, metrics and readiness say the same of an old backlog, of damage until it is restored, and of a service that is stopped',
  () =>
    withHost({}, async (host) => {
      const { machine, post, arrived, property, journal } = host;
      const ways = waysToAsk(machine);
      await machine.run(`
        printf '[metrics]\\nlisten = "127.0.0.1:9464"\\n' >> /etc/pushctl/pushctl.toml
        systemctl restart pushctl
        for route in fcm apns_production; do pushctl route pause $route; done
        ${IMPORT}`);
      for (const title of ['first', 'second']) await post(title);
      await machine.run(`systemctl stop pushctl; ${MAKE_OLD}; systemctl start pushctl`);

      // An old backlog is no reason to take no events.
      assert.is(await ways.readiness(), '200');
      await ways.failing([/^fcm: has been paused/, /^apns_production: has been paused/]);
      await machine.run('pushctl route resume apns_production');
      await arrived('second');
      assert.is(await ways.readiness(), '200');
      await ways.failing([/^fcm: has been paused/]);
      assert.is(await machine.run('pushctl status --json | grep -c \'"waiting":120000\' || true'), '1');

      await machine.run(`
        pushctl backup ${BACKUP}
        kill -9 ${await property('MainPID')}; systemctl stop pushctl
        ${SPOIL}
        systemctl start pushctl`);
      await machine.until(`[ "$(${READINESS})" = 503 ]`);
      const damaged = /^database: is damaged, so no events are accepted/;
      await ways.failing([damaged, /^fcm: has been paused/]);
      await machine.run(`! pushctl send --key-file /tmp/key --retry-for 0s alerts "would be lost" 2> /dev/null`);
      const damage = (await journal()).split('\n').filter((line) => line.includes('"msg":"the database is damaged'));
      assert.is(damage.length, 1);

      // Runs the commands of operations.md.
      await machine.run(`systemctl stop pushctl; pushctl restore --resend ${BACKUP}; systemctl start pushctl`);
      assert.is(await ways.readiness(), '200');
      await ways.failing([/^fcm: has been paused/]);
      await post('after the restore');
      await arrived('after the restore');

      await machine.run('systemctl stop pushctl');
      assert.is(await ways.readiness(), '');
      await ways.failing([/^server: does not run/], { isStopped: true });
    }),
);

test.run();

const READINESS = asked(8080, '/readyz', `head -n 1 <&3 | cut -d' ' -f2`);

function asked(port: number, path: string, read: string): string {
  const request = `printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3`;
  return `{ exec 3<> /dev/tcp/127.0.0.1/${port} && ${request} && ${read}; } 2> /dev/null || true`;
}

/** The ways in which an operator, a monitor and a balancer ask what is wrong. */
function waysToAsk(machine: Host['machine']) {
  const findings = async (verb: string) => {
    const answer = JSON.parse(await machine.run(`! pushctl ${verb} --json --warnings-as-errors`)) as Record<
      string,
      readonly Finding[]
    >;
    return answer[verb === 'status' ? 'warnings' : 'findings'] ?? [];
  };
  return {
    readiness: () => machine.run(READINESS),
    /** Both commands end with 1, and report exactly these failures, or operators' pauses. */
    async failing(expected: readonly RegExp[], { isStopped = false } = {}): Promise<void> {
      for (const verb of ['status', 'doctor']) {
        const failures = (await findings(verb)).filter(
          ({ status, message }) => status === 'fail' || / an operator paused it$/.test(message),
        );
        const texts = failures.map(({ check, message }) => `${check}: ${message}`);
        for (const pattern of expected)
          assert.ok(
            texts.some((text) => pattern.test(text)),
            `${verb}: ${texts}`,
          );
        assert.is(new Set(failures.map(({ check }) => check)).size, expected.length, `${verb}: ${texts}`);
        assert.not.match(await machine.run(`pushctl ${verb} || true`), 'Nothing to warn of');
      }
      if (isStopped) return;
      const metrics = await machine.run(asked(9464, '/metrics', 'cat <&3'));
      const counted =
        metrics.match(/^pushctl_findings\{(.*severity="fail"|check="(fcm|apns_production)".*)\} 1$/gm) ?? [];
      assert.is(counted.length, expected.length, metrics);
    },
  };
}
