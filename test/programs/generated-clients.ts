import { execFile, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../src/process/package.ts';
import { deadlineFor } from '../support/until.ts';

/** The version that docs/versioning.md names. */
export const VERSION = '7.25.0';
const IN_MAVEN = `org/openapitools/openapi-generator-cli/${VERSION}/openapi-generator-cli-${VERSION}.jar`;
const JAR = join(homedir(), '.m2', 'repository', IN_MAVEN);
const ARTIFACT = `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}`;
/** For the 32 MB of it. */
const LOAD_S = '120';
/** Of one step, such as a build that loads its libraries first. */
const STEP_MS = 480_000;

/** A language for which openapi-generator makes a client, and how a program is made of it. */
export interface Language {
  readonly name: string;
  /** Commands that it needs, beside those of the generator. */
  readonly needs: readonly string[];
  readonly generator: string;
  /** It takes more than a minute of a processor, and is tried where it is asked for. */
  readonly isSlow?: true;
  /** `--additional-properties`; docs/versioning.md says which are for what. */
  readonly properties: readonly string[];
  /** Refuses a word that it does not know, whatever it was made with. */
  readonly isClosedToWords?: true;
  /** Loads the libraries of the client, which is in `client`, and puts the program beside it. */
  load?(folder: string): Promise<unknown>;
  /** Builds the program, and answers the command that runs it. */
  build(folder: string): Promise<readonly string[]>;
}

/** So that the client takes answers with fields, and with words, that it does not know. */
const MAY_GROW = ['disallowAdditionalPropertiesIfNotPresent=false', 'enumUnknownDefaultCase=true'];

export const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    needs: [],
    generator: 'typescript-fetch',
    properties: ['importFileExtension=.ts'],
    async build(folder) {
      symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      cpSync(program('client.ts.txt'), join(folder, 'program.ts'));
      const flags = '--strict --target es2024 --module nodenext --rewriteRelativeImportExtensions --types node';
      const compiler = packagePath('node_modules', 'typescript/bin/tsc');
      await step(folder, [process.execPath, compiler, ...flags.split(' '), '--outDir', 'out', 'program.ts']);
      return [process.execPath, 'out/program.js'];
    },
  },
  {
    name: 'Go',
    needs: ['go'],
    generator: 'go',
    properties: ['packageName=pushctl', ...MAY_GROW],
    async load(folder) {
      cpSync(program('client.go'), join(folder, 'main.go'));
      rmSync(join(folder, 'client', 'test'), { recursive: true, force: true }); // It wants more libraries.
      await step(join(folder, 'client'), ['go', 'mod', 'edit', '-module', 'example.com/pushctl']);
      const isHere = 'require example.com/pushctl v0.0.0\nreplace example.com/pushctl => ./client\n';
      writeFileSync(join(folder, 'go.mod'), `module example.com/program\n\ngo 1.23\n\n${isHere}`);
      await step(folder, ['go', 'mod', 'tidy']);
    },
    async build(folder) {
      await step(folder, ['go', 'build', '-o', 'program', '.']);
      return ['./program'];
    },
  },
  {
    name: 'Python',
    needs: ['python3'],
    isClosedToWords: true,
    generator: 'python',
    properties: ['packageName=pushctl'],
    async load(folder) {
      await step(folder, ['python3', '-m', 'venv', 'venv']);
      const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r'];
      await step(folder, ['venv/bin/python', ...install, 'client/requirements.txt']);
    },
    async build(folder) {
      cpSync(program('client.py'), join(folder, 'client', 'program.py'));
      return ['venv/bin/python', 'client/program.py'];
    },
  },
  {
    name: 'Java',
    needs: ['javac'],
    generator: 'java',
    properties: [...MAY_GROW, 'useSingleRequestParameter=true'],
    async load(folder) {
      const options = ['-DincludeScope=compile', '-DoutputDirectory=../lib'];
      await step(join(folder, 'client'), [...MAVEN, 'dependency:copy-dependencies', ...options]);
    },
    async build(folder) {
      const main = 'client/src/main/java';
      const sources = readdirSync(join(folder, main), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.java'))
        .map((name) => `${main}/${name}`);
      await step(folder, ['javac', '-nowarn', '-cp', 'lib/*', '-d', 'classes', ...sources, program('Client.java')]);
      return ['java', '-cp', 'classes:lib/*', 'Client'];
    },
  },
  {
    name: 'Rust',
    needs: ['cargo'],
    isSlow: true,
    isClosedToWords: true,
    generator: 'rust',
    properties: ['packageName=pushctl'],
    async load(folder) {
      const client = join(folder, 'client');
      mkdirSync(join(client, 'examples'));
      cpSync(program('client.rs'), join(client, 'examples', 'program.rs'));
      const runtime = 'tokio = { version = "1", features = ["rt", "macros"] }';
      appendFileSync(join(client, 'Cargo.toml'), `\n[dev-dependencies]\n${runtime}\n`);
      await step(client, ['cargo', 'fetch', '--quiet']);
    },
    async build(folder) {
      // Without TLS, which the server here does not speak either and whose libraries take most of the time.
      const options = ['--quiet', '--offline', '--no-default-features', '--example', 'program'];
      await step(join(folder, 'client'), ['cargo', 'build', ...options]);
      return ['client/target/debug/examples/program'];
    },
  },
];

const MAVEN = ['mvn', '--batch-mode', '--quiet'];

/** What keeps this language from being tried here; null: nothing, and the generator is there. */
export function obstacleTo({ needs, isSlow }: Language): string | null {
  if (isSlow && !process.env.SLOW_CLIENTS) return 'takes minutes: SLOW_CLIENTS=1 runs it';
  const missing = ['java', 'mvn', ...needs].filter((tool) => spawnSync('which', [tool]).status !== 0);
  if (missing.length > 0) return `needs ${missing.join(' and ')}`;
  if (!existsSync(JAR)) spawnSync('timeout', [LOAD_S, ...MAVEN, 'dependency:get', ARTIFACT, '-Dtransitive=false']);
  return existsSync(JAR) ? null : 'needs openapi-generator, which Maven cannot load here';
}

/** Makes the client of a description in `client` below the folder. */
export async function generate({ generator, properties }: Language, folder: string, document: string): Promise<void> {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, document);
  const chosen = ['--additional-properties', properties.join(',')];
  await step(folder, ['java', '-jar', JAR, 'generate', '-i', file, '-g', generator, '-o', 'client', ...chosen]);
}

/** What a command prints. Where it fails, so does the test, with what it said. */
export async function step(cwd: string, [command = '', ...args]: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, timeout: deadlineFor(STEP_MS), maxBuffer: 2 ** 26 }))
      .stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')}: ${`${stdout}${stderr}`.slice(-4_000)}`, { cause: error });
  }
}

function program(name: string): string {
  return packagePath('test/programs/clients', name);
}
