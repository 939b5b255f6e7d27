import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from './folder.ts';
import { deadlineFor, until } from './until.ts';

/**
 * One machine at a time: side by side they would share their control groups, and end each other's services. Not in the
 * temporary folder, of which each test file has its own.
 */
const TURN = '/run/pushctl-test-machine.lock';
/** The wait for the machines of other files, which run one at a time. */
const TURN_MS = 900_000;
/** All of systemd starts. */
const BOOT_MS = 120_000;
/** The time limit of a script: some install packages, or wait until systemd gives up a service. */
const RUN_MS = 270_000;
const LOOK_EVERY_MS = 50;
/** The files of an installed pushctl; the checkout's own folder may be closed to the service's user. */
const PARTS = ['bin', 'dist', 'schemas', 'systemd', 'src', 'package.json', 'node_modules'];
/** They would wait for a network that the machine does not have. */
const MASKED = ['systemd-networkd-wait-online', 'NetworkManager-wait-online', 'ifupdown-wait-online'];

/** The exit code of systemd-nspawn if the machine restarts. */
const REBOOTS = 133;
/**
 * In namespaces of its own, so that neither a mount nor a process outlives it: an overlay of / that is kept in memory.
 */
const OVERLAY = `
  mount -t tmpfs tmpfs "$1" && cd "$1" && mkdir upper work root &&
  mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root && shift || exit
  while true; do "$@"; status=$?; [ $status = ${REBOOTS} ] || exit $status; done`;

/**
 * A Debian of its own with a real systemd, over an overlay of this machine's files: nothing that happens there reaches
 * this machine. It has no network but its loopback, and pushctl in /opt/pushctl.
 */
export class Machine {
  private readonly process: ChildProcess;
  private leader: string;

  private constructor(process: ChildProcess, leader: string) {
    this.process = process;
    this.leader = leader;
  }

  /** Why there can be no such machine here; null where there can. */
  static obstacle(): string | null {
    if (process.getuid?.() !== 0) return 'needs root';
    for (const tool of ['systemd-nspawn', 'unshare', 'nsenter', 'flock', 'systemctl']) {
      if (spawnSync(tool, ['--version']).error) return `needs ${tool}`;
    }
    const trial = inTurn(nspawn(temporaryFolder(), ['--as-pid2', 'true']));
    const { status, stderr } = spawnSync('flock', trial, { encoding: 'utf8', timeout: deadlineFor(TURN_MS) });
    return status === 0 ? null : `no container can be started: ${stderr.trim().split('\n').at(-1)}`;
  }

  /** Waits for its turn. `packages`: a folder that is /opt/packages there. */
  static async boot({ packages }: { readonly packages?: string } = {}): Promise<Machine> {
    const masks = MASKED.map((unit) => `systemd.mask=${unit}.service`);
    const shared = packages === undefined ? [] : [`--bind-ro=${packages}:/opt/packages`];
    const boot = ['--boot', '--console=pipe', ...bindings(), ...shared, 'systemd.unit=basic.target', ...masks];
    const child = spawn('flock', inTurn(nspawn(temporaryFolder(), boot)), { stdio: 'ignore' });
    for (const deadlineMs = Date.now() + deadlineFor(TURN_MS); Date.now() < deadlineMs; await wait(LOOK_EVERY_MS)) {
      if (child.exitCode !== null || childrenOf(child.pid).length > 0) break;
    }
    for (const deadlineMs = Date.now() + deadlineFor(BOOT_MS); Date.now() < deadlineMs; await wait(LOOK_EVERY_MS)) {
      if (child.exitCode !== null) throw new Error(`the machine ended with ${child.exitCode} instead of booting`);
      const leader = leaderOf(child);
      if (leader === undefined) continue;
      const machine = new Machine(child, leader);
      if (await machine.isUp()) return machine;
    }
    child.kill('SIGKILL');
    throw new Error('the machine did not boot');
  }

  /** Its files stay as they are; its processes, its memory and what is below /run and /tmp do not. */
  async reboot(): Promise<void> {
    const { leader } = this;
    // The way to it may end before the answer has come.
    await this.run('systemctl reboot').catch(() => {});
    for (const deadlineMs = Date.now() + deadlineFor(BOOT_MS); Date.now() < deadlineMs; await wait(LOOK_EVERY_MS)) {
      if (this.process.exitCode !== null) break;
      this.leader = leaderOf(this.process) ?? leader;
      if (this.leader !== leader && (await this.isUp())) return;
    }
    throw new Error('the machine did not boot again');
  }

  /** Runs a script in the machine's shell and answers what it said. Rejects with all of it where the script failed. */
  async run(script: string): Promise<string> {
    const { stdout } = await this.enter(['bash', '--norc', '-euo', 'pipefail', '-c', script]);
    return stdout.trim();
  }

  /**
   * Waits until the command succeeds, as `until` does. If it never does, the error has its last output and the end of the
   * journal. `promiseMs`: within what time it is to succeed.
   */
  async until(command: string, promiseMs = 0): Promise<void> {
    const look = () =>
      this.run(`set +e\n{ ${command}\n} 2>&1`).then(
        () => true,
        ({ code, stdout }) => ({ code, stdout }),
      );
    await until(command, look, promiseMs).catch(async (error: Error) => {
      const journal = await this.run('journalctl -b -n 20 -o cat').catch(String);
      throw new Error(`${error.message}\n${journal}`);
    });
  }

  /** Mounts a file system of this machine's, which has the loop device, at a place of the other. */
  async mount(device: string, place: string): Promise<void> {
    const script = '[ -e "$0" ] || mknod "$0" b 7 "$1"; exec mount -o errors=remount-ro "$0" "$2"';
    const args = [device, device.replace(/\D/g, ''), place];
    await promisify(execFile)('nsenter', ['--target', this.leader, '--mount', 'sh', '-c', script, ...args]);
  }

  async end(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  private async isUp(): Promise<boolean> {
    const answer = await this.enter(['systemctl', 'is-active', 'basic.target']).catch(() => null);
    return answer?.stdout.trim() === 'active';
  }

  private enter(command: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    const options = {
      timeout: deadlineFor(RUN_MS),
      env: { PATH: '/usr/local/bin:/usr/bin:/usr/sbin:/bin', LC_ALL: 'C.UTF-8' },
    };
    return promisify(execFile)('nsenter', ['--target', this.leader, '--all', ...command], options);
  }
}

/** Without a fork: the lock is held for as long as the first process of the machine lives. */
function inTurn(command: readonly string[]): string[] {
  return ['--no-fork', TURN, ...command];
}

function nspawn(folder: string, args: readonly string[]): string[] {
  const namespaces = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const unshared = ['unshare', ...namespaces, 'sh', '-c', OVERLAY, 'sh', folder];
  const options = ['--quiet', '--directory=root', '--private-network', '--register=no', '--keep-unit'];
  return [...unshared, 'systemd-nspawn', ...options, ...args];
}

function bindings(): string[] {
  const present = PARTS.filter((part) => existsSync(packagePath(part)));
  return present.map((part) => `--bind-ro=${realpathSync(packagePath(part))}:${join('/opt/pushctl', part)}`);
}

/** The first process of the machine, as it runs now: below `unshare`, the shell in its namespaces and systemd-nspawn. */
function leaderOf({ pid }: ChildProcess): string | undefined {
  const [shell] = childrenOf(pid);
  const [container] = childrenOf(shell);
  return childrenOf(container)[0];
}

function childrenOf(pid: number | string | undefined): string[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}
