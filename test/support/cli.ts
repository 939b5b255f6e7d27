import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { run } from '../../src/cli/program.ts';
import { entryUrl } from '../../src/process/entry-points.ts';
import type { ExitCode } from '../../src/process/problem.ts';
import type { StoreClient } from '../../src/store/calls.ts';
import { openLocalStore } from '../../src/store/transports/socket-or-in-process.ts';
import { putNewDatabase } from './data-folder.ts';
import { temporaryFolder } from './folder.ts';
import type { Resources } from './resources.ts';
import { someSettings } from './store.ts';
import { until } from './until.ts';
import { aWorkspace, type WorkspaceOptions } from './workspace.ts';

const MAIN = fileURLToPath(entryUrl('cli/main'));

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; none by default. */
  readonly input?: string;
}

export interface CliResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `pushctl` on a data folder of its own, as a process of its own, as an operator runs it. */
export class Cli {
  readonly folder = temporaryFolder();
  readonly dataDir = join(this.folder, 'data');

  constructor(config = '') {
    writeFileSync(join(this.folder, 'pushctl.toml'), config);
  }

  /** Fills the data folder from this process: a command takes most of a second, a call none. */
  async populate<T>(fill: (store: StoreClient) => Promise<T>): Promise<T> {
    putNewDatabase(this.dataDir);
    const store = openLocalStore({ dataDir: this.dataDir, settings: someSettings() });
    try {
      return await fill(store);
    } finally {
      await store.close();
    }
  }

  async run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const child = this.spawn(args, options.env);
    child.stdin?.end(options.input ?? '');
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')]);
    return { exitCode: child.exitCode, stdout, stderr };
  }

  /** Runs with `--json`, and expects success, one document on stdout and nothing else anywhere. */
  async json<T = Readonly<Record<string, never>>>(args: readonly string[], options: CliOptions = {}): Promise<T> {
    const { exitCode, stdout, stderr } = await this.run([...args, '--json'], options);
    assert.is(exitCode, 0, `pushctl ${args.join(' ')}: ${stderr}`);
    assert.is(stderr, '');
    return JSON.parse(stdout) as T;
  }

  /** Runs, expects that exit code and nothing on stdout, and answers what was said on stderr. */
  async failure(exitCode: ExitCode, args: readonly string[], options: CliOptions = {}): Promise<string> {
    const result = await this.run(args, options);
    assert.is(result.exitCode, exitCode, `pushctl ${args.join(' ')}: ${result.stdout}${result.stderr}`);
    assert.is(result.stdout, '');
    return result.stderr;
  }

  /** Starts what stays up. */
  start(opened: Resources, args: readonly string[], env?: Readonly<Record<string, string>>): RunningCli {
    const running = new RunningCli(this.spawn(args, env));
    opened.onEnd(() => running.stop('SIGKILL'));
    return running;
  }

  protected envWith(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: this.folder,
      PUSHCTL_CONFIG: join(this.folder, 'pushctl.toml'),
      PUSHCTL_DATA_DIR: this.dataDir,
      ...env,
    };
  }

  protected command(): readonly string[] {
    return [process.execPath, MAIN];
  }

  private spawn(args: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess {
    const [command = '', ...own] = this.command();
    const child = spawn(command, [...own, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: this.envWith(env),
    });
    // A command that ends need not have read all of it.
    child.stdin.on('error', () => {});
    return child;
  }
}

/**
 * The same commands in this process, for tests of their effects and output: a separate process takes a third of a
 * second for each. What a process adds (that it ends, signals, terminals) is tested with `Cli`.
 */
export class InProcessCli extends Cli {
  /** On the workspace `acme`, with what `aWorkspace` puts into it. */
  static async ofTeam(options: WorkspaceOptions = {}, config = ''): Promise<InProcessCli> {
    const cli = new InProcessCli(config);
    await cli.populate((store) => aWorkspace(store, options));
    return cli;
  }

  override async run(args: readonly string[], { env, input = '' }: CliOptions = {}): Promise<CliResult> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const outputs = Promise.all([text(stdout), text(stderr)]);
    const here = processWith({
      argv: [process.execPath, MAIN, ...args],
      env: this.envWith(env),
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
      stdout,
      stderr,
      exitCode: 0,
    });
    await run(here);
    stdout.end();
    stderr.end();
    const [ofStdout, ofStderr] = await outputs;
    return { exitCode: Number(here.exitCode), stdout: ofStdout, stderr: ofStderr };
  }
}

/** This process in everything but what is named. */
function processWith(own: Readonly<Record<string, unknown>>): NodeJS.Process {
  const properties = Object.entries(own).map(([name, value]) => [name, { value, writable: true, enumerable: true }]);
  return Object.create(process, Object.fromEntries(properties));
}

/** A process that stays up, and what it has said so far. */
export class RunningCli {
  output = '';
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;
  private isClosed = false;

  constructor(child: ChildProcess) {
    this.child = child;
    this.closed = once(child, 'close').then(() => {
      this.isClosed = true;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.output += chunk;
      });
    }
  }

  /** The first match in what it says, once it is there. */
  async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    const match = () => pattern.exec(this.output);
    // Not before its streams have ended: a process is gone before its last words have come.
    await until(String(pattern), () => match() !== null || this.isClosed).catch(() => {});
    const found = match();
    if (found === null) throw new Error(`no ${pattern} in:\n${this.output}`);
    return found;
  }

  /** To its standard input, which stays open. */
  write(text: string): void {
    this.child.stdin?.write(text);
  }

  /** Sends the signal and answers the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    await this.closed;
    return this.child.exitCode;
  }
}

function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  return stream === null ? Promise.resolve('') : text(stream);
}
