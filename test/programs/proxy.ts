import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../src/process/package.ts';
import { RunningCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Resources } from '../support/resources.ts';

export const PROXIES = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyName = (typeof PROXIES)[number];

export interface ProxyOptions {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** The same for plain HTTP, if it listens there. */
  readonly plainPort: number;
  /** The server behind it: `127.0.0.1:8080`. */
  readonly upstream: string;
  readonly pair: { readonly cert: string; readonly key: string };
}

/** The reason why it cannot run here; null: it can. */
export function proxyObstacle(name: ProxyName): string | null {
  return spawnSync(name, ['-v'], { env: ENV }).error === undefined ? null : `needs Debian's package ${name}`;
}

/** The proxy with the configuration that comes with pushctl, but for addresses and the certificate's place. */
export function startProxy(opened: Resources, name: ProxyName, options: ProxyOptions): void {
  const folder = temporaryFolder();
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), both: join(folder, 'both.pem') };
  const { cert, key } = options.pair;
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  writeFileSync(files.both, cert + key);
  const running = new RunningCli(
    spawn(name, [...START[name](folder, files, options)], { env: { ...ENV, HOME: folder }, stdio: 'pipe' }),
  );
  opened.onEnd(() => running.stop());
}

/** Debian has servers where only root looks for programs. */
const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

interface Files {
  readonly cert: string;
  readonly key: string;
  readonly both: string;
}

/** Writes the configuration, and answers the arguments. */
const START: Record<ProxyName, (folder: string, files: Files, options: ProxyOptions) => readonly string[]> = {
  nginx(folder, { cert, key }, options) {
    const site = changed('nginx.conf', options, [
      ['listen 443 ssl;', `listen 127.0.0.1:${options.port} ssl;`],
      ['/etc/letsencrypt/live/push.example.com/fullchain.pem', cert],
      ['/etc/letsencrypt/live/push.example.com/privkey.pem', key],
    ]);
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`);
    const http = `http { access_log off; ${places.join(' ')} ${site} }`;
    // Its workers would be another user, who may not enter this folder.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const text = `daemon off; ${user} pid ${folder}/pid; error_log stderr; events {} ${http}`;
    return ['-c', written(folder, text), '-p', folder, '-e', 'stderr'];
  },
  haproxy(folder, { both }, options) {
    const text = changed('haproxy.cfg', options, [
      ['bind :443', `bind 127.0.0.1:${options.port}`],
      ['/etc/haproxy/push.example.com.pem', both],
    ]);
    return ['-db', '-f', written(folder, text)];
  },
  caddy(folder, { cert, key }, options) {
    const text = changed('Caddyfile', options, [
      [
        'https://push.example.com {',
        `{\n\tadmin off\n\tauto_https off\n}\nhttps://127.0.0.1:${options.port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`,
      ],
      ['http://push.example.com {', `http://127.0.0.1:${options.plainPort} {\n\tbind 127.0.0.1`],
    ]);
    return ['run', '--adapter', 'caddyfile', '--config', written(folder, text)];
  },
};

type Change = readonly [from: string, to: string];

/** Throws where the file has no such place. */
function changed(file: string, { upstream }: ProxyOptions, changes: readonly Change[]): string {
  let text = readFileSync(packagePath('systemd', 'proxies', file), 'utf8').replace(/^#.*\n/gm, '');
  for (const [from, to] of [...changes, ['127.0.0.1:8080', upstream] as const]) {
    if (!text.includes(from)) throw new Error(`no ${from} in ${file}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

function written(folder: string, text: string): string {
  const file = join(folder, 'configuration', 'proxy.conf');
  mkdirSync(join(folder, 'configuration'));
  writeFileSync(file, text);
  return file;
}
