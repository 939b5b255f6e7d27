import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';

export interface Image {
  /** Its files. */
  readonly root: string;
  readonly settings: ImageSettings;
}

interface ImageSettings {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Labels: Readonly<Record<string, string>>;
}

const TOOLS = ['buildah', 'mmdebstrap', 'npm', 'unshare', 'nsenter', 'setpriv'];
/** The needed parts of a slim image. */
const PACKAGES = 'base-files,base-passwd,bash,ca-certificates,coreutils,dash,findutils,grep,libstdc++6,sed,util-linux';
/** In seconds. */
const DEBIAN_LIMIT = 240;
const BUILD_LIMIT = 600;
/** The words of npm if its cache misses something and the registry is out of reach. */
const NO_NETWORK =
  /npm error code (?:ENOTFOUND|EAI_AGAIN|ECONN[A-Z]+|ETIMEDOUT|E[A-Z]+UNREACH|ERR_SOCKET_TIMEOUT|\w+_CERT_?\w*|E403|E429|E5\d\d)/;

/**
 * Builds the image like `docker build`, from a folder of its own and without a daemon. The base is made of Debian's
 * packages, since registries of images may be out of reach. `obstacle`: what is missing here for that. Throws where the
 * build itself fails.
 */
export function buildImage(): Image | { readonly obstacle: string } {
  if (process.getuid?.() !== 0) return { obstacle: 'needs root' };
  const missing = TOOLS.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
  if (missing.length > 0) return { obstacle: `needs ${missing.join(', ')}` };
  const folder = temporaryFolder();
  const namespaces = ['--mount', '--propagation', 'private', '--pid', '--fork'];
  const mounted = run(['unshare', ...namespaces, 'mount', '-t', 'tmpfs', 'tmpfs', folder]);
  if (mounted.status !== 0) return { obstacle: `no container can be started: ${lastLine(mounted)}` };
  const debian = join(folder, 'debian');
  const base = ['mmdebstrap', '--quiet', '--variant=extract', `--include=${PACKAGES}`, 'bookworm', debian];
  const fetched = run(['timeout', '--kill-after=5', `${DEBIAN_LIMIT}`, ...base, 'http://deb.debian.org/debian']);
  if (fetched.status !== 0) return { obstacle: `needs packages of Debian: ${lastLine(fetched)}` };
  for (const file of ['passwd', 'group']) {
    cpSync(join(debian, `usr/share/base-passwd/${file}.master`), join(debian, 'etc', file));
  }

  const buildah = (...args: readonly string[]) => run([...storedIn(folder), ...args]);
  const container = must(buildah('from', '--name', 'base', 'scratch'));
  const root = must(buildah('mount', container));
  cpSync(debian, root, { recursive: true, verbatimSymlinks: true });
  must(buildah('commit', '--quiet', container, 'localhost/base'));
  addNpm(root);
  must(buildah('commit', '--quiet', container, 'localhost/build-base'));

  const script = packagePath('systemd', 'container', 'build');
  const builder = ['env', `BUILDER=${storedIn(folder).join(' ')}`, script, 'localhost/pushctl'];
  const built = run(['timeout', '--kill-after=5', `${BUILD_LIMIT}`, ...builder, ...buildOptions(folder)]);
  if (built.status === 124) return { obstacle: `needs a faster machine: not built within ${BUILD_LIMIT} s` };
  const obstacle = built.status === 0 ? null : (NO_NETWORK.exec(built.output)?.[0] ?? null);
  if (obstacle !== null) return { obstacle: `needs npm's registry: ${obstacle}` };
  must(built);
  const inspected = JSON.parse(must(buildah('inspect', '--type', 'image', 'localhost/pushctl')));
  must(buildah('from', '--name', 'pushctl', 'localhost/pushctl'));
  return { root: must(buildah('mount', 'pushctl')), settings: inspected.Docker.config };
}

function storedIn(folder: string): readonly string[] {
  return ['buildah', '--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
}

/** The npm of this machine, on our Node, which runs everywhere. */
function addNpm(root: string): void {
  const npm = must(run(['sh', '-c', 'readlink -f "$(command -v npm)"']));
  const local = join(root, 'usr', 'local');
  mkdirSync(join(local, 'bin'), { recursive: true });
  cpSync(realpathSync(process.execPath), join(local, 'bin', 'node'));
  cpSync(dirname(dirname(npm)), join(local, 'lib', 'npm'), { recursive: true, verbatimSymlinks: true });
  symlinkSync('../lib/npm/bin/npm-cli.js', join(local, 'bin', 'npm'));
}

/** With what npm has fetched for the checkout, and by the same way to the registry. */
function buildOptions(folder: string): readonly string[] {
  const npmrc = join(folder, 'npmrc');
  const setting = (name: string) => must(run(['npm', 'config', 'get', name]));
  const [cache, ca] = [setting('cache'), process.env.NODE_EXTRA_CA_CERTS ?? setting('cafile')];
  const lines = [`registry=${setting('registry')}`, 'fetch-retries=1', 'fetch-timeout=30000'];
  if (existsSync(ca)) lines.push('cafile=/root/ca.pem');
  writeFileSync(npmrc, lines.join('\n'));
  const volumes = [`${npmrc}:/root/.npmrc:ro`];
  if (existsSync(ca)) volumes.push(`${realpathSync(ca)}:/root/ca.pem:ro`);
  if (existsSync(cache)) volumes.push(`${cache}:/root/.npm`);
  return [
    ...['--isolation', 'chroot', '--pull-never'],
    ...['--build-arg', 'BASE=localhost/base', '--build-arg', 'BUILD_BASE=localhost/build-base'],
    ...volumes.flatMap((volume) => ['--volume', volume]),
  ];
}

interface Ran {
  readonly command: string;
  readonly status: number | null;
  readonly stdout: string;
  /** On both. */
  readonly output: string;
}

function run([program = '', ...args]: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return { command: [program, ...args].join(' '), status, stdout, output: stdout + stderr };
}

function lastLine({ output }: Ran): string {
  return output.trim().split('\n').at(-1) ?? '';
}

/** Returns its standard output. */
function must({ command, status, stdout, output }: Ran): string {
  if (status !== 0) throw new Error(`${command}: exit code ${status}\n${output}`);
  return stdout.trim();
}
