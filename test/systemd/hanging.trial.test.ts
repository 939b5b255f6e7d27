import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import { type Host, withHost } from '../support/host.ts';
import { Machine } from '../support/machine.ts';
import { skipWhere } from '../support/skip.ts';

/**
 * The main loop goes on in these tests. A thread stands in a system call that does not return, as on a disk or a
 * network that has gone. Put before the C library, this holds the calls for as long as their file is there. The store
 * thread makes every sync, and delivery threads make every connection over IP.
 */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void hold(const char *file) {
  struct timespec moment = {0, 50000000};
  while (access(file, F_OK) == 0) nanosleep(&moment, 0);
}
static int synced(const char *name, int fd) {
  hold("/var/lib/pushctl/hold-syncs");
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}
int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }
int connect(int fd, const struct sockaddr *to, socklen_t length) {
  if (to->sa_family == AF_INET) hold("/var/lib/pushctl/hold-connections");
  return ((int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect"))(fd, to, length);
}`;
const LIBRARY = '/usr/local/lib/hold.so';
const WATCHDOG_MS = 5_000;
const UNIT = `WatchdogSec=${WATCHDOG_MS / 1_000}s\nEnvironment=LD_PRELOAD=${LIBRARY}`;

const hasCompiler = spawnSync('cc', ['--version']).status === 0;
const onAMachine = skipWhere(Machine.obstacle() ?? (hasCompiler ? null : 'needs a C compiler'), test);

onAMachine('A service whose store thread hangs in a sync is restarted, and all accepted events are delivered', () =>
  withHost({ unit: UNIT }, async (host) => {
    const pid = await startHoldable(host);
    await host.post('accepted before');
    await host.machine.run('touch /var/lib/pushctl/hold-syncs');
    await host.machine.run(`systemd-run --quiet --unit=late --setenv=HOME=/root \\
        pushctl send --key-file /tmp/key --retry-for 0s alerts "never accepted"`);
    await isStartedAnew(host, pid, 'hold-syncs');
    // A client that posted meanwhile got no 202.
    await host.machine.until('systemctl is-failed --quiet late');
    await host.arrived('accepted before');
  }),
);

onAMachine(
  'A service whose delivery thread hangs in a connect is restarted, and all accepted events are delivered',
  () =>
    withHost({ unit: UNIT }, async (host) => {
      await host.machine.run(`sed -i 's/^\\[delivery\\]/&\\nthreads = 1/' /etc/pushctl/pushctl.toml`);
      const pid = await startHoldable(host);
      await host.machine.run('touch /var/lib/pushctl/hold-connections');
      await host.post('makes the thread connect');
      await isStartedAnew(host, pid, 'hold-connections');
      await host.arrived('makes the thread connect');
    }),
);

test.run();

/** Nothing is sent before the sandbox is started again. Answers the process of the service. */
async function startHoldable({ machine, property }: Host): Promise<string> {
  await machine.run(`
    systemctl stop sandbox
    cc -shared -fPIC -x c -o ${LIBRARY} - -ldl <<'EOT'\n${SOURCE}\nEOT
    systemctl restart pushctl`);
  return property('MainPID');
}

async function isStartedAnew({ machine, isBack }: Host, pid: string, hold: string): Promise<void> {
  await machine.until('journalctl -b -u pushctl | grep -q "a part of the server does not answer"', WATCHDOG_MS);
  await machine.until('journalctl -b -u pushctl | grep -q "Watchdog timeout"', WATCHDOG_MS);
  await machine.run(`rm /var/lib/pushctl/${hold}; systemctl start sandbox`);
  await isBack(pid);
}
