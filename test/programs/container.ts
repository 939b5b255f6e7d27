import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { until } from '../support/until.ts';
import type { Image } from './image.ts';

export interface ContainerOptions {
  /** The volume. */
  readonly data: string;
  /** A folder that is /run/secrets there. */
  readonly secrets: string;
  readonly environment: Readonly<Record<string, string>>;
  /** In the place of the image's own. */
  readonly command?: readonly string[];
}

export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

/**
 * Does the work of `podman run` with compose.yaml if podman cannot: read-only image, /tmp and /run in memory, own
 * process 1, no core files. The network is this machine's.
 */
const ENTER = `
  root=$1 data=$2 secrets=$3; shift 3
  mount --bind "$root" "$root"
  mount -o remount,ro,bind "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/tmp"
  mount -t tmpfs tmpfs "$root/run"
  mkdir "$root/run/secrets"
  mount --bind "$secrets" "$root/run/secrets"
  mount --bind "$data" "$root/data"
  ulimit -c 0
  exec chroot "$root" "$@"`;
const NAMESPACES = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];

const SIGTERM_BIT = 1n << 14n;

/** A process of the image, without any right. */
export class Container {
  private readonly image: Image;
  private readonly options: ContainerOptions;
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private readonly output: Promise<string>;
  private readonly closed: Promise<unknown>;

  constructor(image: Image, options: ContainerOptions) {
    const { Entrypoint, Cmd } = image.settings;
    const { data, secrets, command = Cmd } = options;
    const inside = [...asUser(image), ...Entrypoint, ...command];
    const args = [...NAMESPACES, 'sh', '-euc', ENTER, 'sh', image.root, data, secrets, ...inside];
    this.image = image;
    this.options = options;
    this.child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'], env: environmentOf(image, options) });
    this.output = Promise.all([text(this.child.stdout), text(this.child.stderr)]).then((texts) => texts.join(''));
    this.closed = once(this.child, 'close');
  }

  /** Works like `docker exec`. */
  async exec(...command: readonly string[]): Promise<Ended> {
    const args = ['--target', await this.first(), '--mount', '--pid', '--root', '--wd', ...asUser(this.image)];
    return new Promise((resolve) => {
      const env = environmentOf(this.image, this.options);
      execFile('nsenter', [...args, ...command], { env }, (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      );
    });
  }

  /** Works like `docker stop`, if it ends in time. */
  async stop(): Promise<Ended> {
    process.kill(Number(await this.first()), 'SIGTERM');
    return this.ended();
  }

  async ended(): Promise<Ended> {
    await this.closed;
    return { exitCode: this.child.exitCode, output: await this.output };
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.closed;
  }

  /** Resolves once process 1 handles SIGTERM: from then on, it must not lose one. */
  async handlesStops(): Promise<void> {
    const status = `/proc/${await this.first()}/status`;
    await until('process 1 handles SIGTERM', () => {
      const [, caught = '0'] = /^SigCgt:\s(\w+)$/m.exec(readFileSync(status, 'utf8')) ?? [];
      return Boolean(BigInt(`0x${caught}`) & SIGTERM_BIT);
    });
  }

  /** The number that its process 1 has outside. */
  private async first(): Promise<string> {
    let pid: string | undefined;
    await until('the container has a process', () => {
      if (this.child.exitCode !== null) throw new Error(`the container ended with ${this.child.exitCode}`);
      pid = readFileSync(`/proc/${this.child.pid}/task/${this.child.pid}/children`, 'utf8').split(' ')[0];
      return Boolean(pid);
    });
    return String(pid);
  }
}

function asUser({ settings }: Image): readonly string[] {
  const [user, group] = settings.User.split(':');
  // A change of the user takes back the signal that `unshare --kill-child` asks for.
  const none = ['--pdeathsig=KILL', '--clear-groups', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
  return ['setpriv', `--reuid=${user}`, `--regid=${group}`, ...none];
}

function environmentOf({ settings }: Image, { environment }: ContainerOptions): NodeJS.ProcessEnv {
  const own = settings.Env.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]);
  return { ...Object.fromEntries(own), ...environment };
}
