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
/** The time for the 32 MB of it. */
const LOAD_S = '120';
/** The time limit of one step, such as a build that loads its libraries first. */
const STEP_MS = 480_000;

/** A generator of clients with default options, and how a program is made of its client. */
export interface Language {
  readonly name: string;
  /** Commands that it needs, beside those of the generator. */
  readonly needs: readonly string[];
  /** The name in openapi-generator; else see `generate`. */
  readonly generator: string;
  /** It takes more than a minute of a processor, and is tried on request. */
  readonly isSlow?: true;
  /**
   * Whether it takes responses that have gained fields, and words. `fields`, `words`: as it is. `properties`: both, if it
   * is made with those that docs/versioning.md names. Absent: not tried.
   */
  readonly grows?: 'fields' | 'words' | 'properties';
  /** Makes the client in `client`, if openapi-generator does not. */
  generate?(folder: string): Promise<unknown>;
  /** Loads the libraries of the client, and puts the program beside it. */
  load?(folder: string): Promise<unknown>;
  /** Builds the program, and answers the command that runs it. */
  build(folder: string): Promise<readonly string[]>;
}

/** With them the client takes responses with fields, and with words, that it does not know. */
export const MAY_GROW = ['disallowAdditionalPropertiesIfNotPresent=false', 'enumUnknownDefaultCase=true'];
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const OGEN = 'github.com/ogen-go/ogen/cmd/ogen@v1.24.0';
const OPENAPI_PYTHON_CLIENT = 'openapi-python-client==0.29.1';
const PIP = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];

export const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    needs: [],
    generator: 'typescript-fetch',
    grows: 'words',
    async build(folder) {
      symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      cpSync(program('fetch.ts.txt'), join(folder, 'program.ts'));
      const flags = '--strict --target es2024 --module esnext --moduleResolution bundler --types node --noEmit';
      await step(folder, [
        process.execPath,
        packagePath('node_modules', 'typescript/bin/tsc'),
        ...flags.split(' '),
        'program.ts',
      ]);
      const output = { file: join(folder, 'program.js'), format: 'esm' } as const;
      await (await import('rolldown')).build({ input: join(folder, 'program.ts'), output, platform: 'node' });
      return [process.execPath, 'program.js'];
    },
  },
  {
    name: 'Go',
    needs: ['go'],
    generator: 'go',
    grows: 'properties',
    async load(folder) {
      rmSync(join(folder, 'client', 'test'), { recursive: true, force: true }); // It wants more libraries.
      const client = 'github.com/GIT_USER_ID/GIT_REPO_ID';
      await loadGo(folder, 'openapi-generator.go', `require ${client} v0.0.0\nreplace ${client} => ./client\n`);
    },
    build: buildGo,
  },
  {
    name: 'Go by oapi-codegen',
    needs: ['go'],
    generator: 'oapi-codegen',
    async generate(folder) {
      mkdirSync(join(folder, 'client'));
      const options = ['-package', 'client', '-o', 'client/client.gen.go'];
      await step(folder, ['go', 'run', OAPI_CODEGEN, ...options, 'openapi.json']);
    },
    load: (folder) => loadGo(folder, 'oapi-codegen.go'),
    build: buildGo,
  },
  {
    name: 'Go by ogen',
    needs: ['go'],
    generator: 'ogen',
    generate: (folder) => step(folder, ['go', 'run', OGEN, '--target', 'api', 'openapi.json']),
    load: (folder) => loadGo(folder, 'ogen.go'),
    build: buildGo,
  },
  {
    name: 'Python',
    needs: ['python3'],
    generator: 'python',
    grows: 'fields',
    async load(folder) {
      await step(folder, ['python3', '-m', 'venv', 'venv']);
      await step(folder, ['venv/bin/python', ...PIP, '-r', 'client/requirements.txt']);
    },
    build: (folder) => buildPython(folder, 'python.py'),
  },
  {
    name: 'Python by openapi-python-client',
    needs: ['python3'],
    generator: 'openapi-python-client',
    async generate(folder) {
      await step(folder, ['python3', '-m', 'venv', 'venv']);
      await step(folder, ['venv/bin/python', ...PIP, OPENAPI_PYTHON_CLIENT]);
      const options = ['--path', 'openapi.json', '--output-path', 'client'];
      await step(folder, ['venv/bin/openapi-python-client', 'generate', ...options]);
    },
    build: (folder) => buildPython(folder, 'openapi-python-client.py'),
  },
  {
    name: 'Java',
    needs: ['javac'],
    generator: 'java',
    grows: 'properties',
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
    name: 'Kotlin',
    needs: ['javac'],
    generator: 'kotlin',
    async load(folder) {
      cpSync(program('kotlin.pom.xml'), join(folder, 'pom.xml'));
      await step(folder, [...MAVEN, 'dependency:copy-dependencies', '-DoutputDirectory=lib']);
    },
    async build(folder) {
      const libraries = readdirSync(join(folder, 'lib')).map((name) => `lib/${name}`);
      const options = ['-no-stdlib', '-no-reflect', '-nowarn', '-cp', libraries.join(':'), '-d', 'classes'];
      const compiler = ['java', '-cp', 'lib/*', 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler'];
      await step(folder, [...compiler, ...options, 'client/src/main/kotlin', program('Client.kt')]);
      return ['java', '-cp', 'classes:lib/*', 'ClientKt'];
    },
  },
  {
    name: 'Ruby (Debian: ruby, ruby-typhoeus)',
    needs: ['ruby'],
    generator: 'ruby',
    build: async () => ['ruby', '-Iclient/lib', program('client.rb')],
  },
  {
    name: 'PHP (Debian: php-cli, php-curl, php-mbstring, php-guzzlehttp-guzzle)',
    needs: ['php'],
    generator: 'php',
    async build(folder) {
      cpSync(program('client.php'), join(folder, 'client.php'));
      return ['php', 'client.php'];
    },
  },
  {
    name: 'Rust',
    needs: ['cargo'],
    isSlow: true,
    generator: 'rust',
    grows: 'fields',
    async load(folder) {
      const client = join(folder, 'client');
      mkdirSync(join(client, 'examples'));
      cpSync(program('rust.rs'), join(client, 'examples', 'program.rs'));
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

async function loadGo(folder: string, name: string, requirements = ''): Promise<void> {
  cpSync(program(name), join(folder, 'main.go'));
  writeFileSync(join(folder, 'go.mod'), `module example.com/program\n\ngo 1.25\n\n${requirements}`);
  await step(folder, ['go', 'mod', 'tidy']);
}

async function buildGo(folder: string): Promise<readonly string[]> {
  await step(folder, ['go', 'build', '-o', 'program', '.']);
  return ['./program'];
}

async function buildPython(folder: string, name: string): Promise<readonly string[]> {
  cpSync(program(name), join(folder, 'client', 'program.py'));
  cpSync(program('report.py'), join(folder, 'client', 'report.py'));
  return ['venv/bin/python', 'client/program.py'];
}

const MAVEN = ['mvn', '--batch-mode', '--quiet'];

/** The reason why this language cannot be tried here; null: it can, and the generator is there. */
export function obstacleTo({ needs, isSlow, generate: own }: Language): string | null {
  if (isSlow && !process.env.SLOW_CLIENTS) return 'takes minutes: SLOW_CLIENTS=1 runs it';
  const missing = [...(own === undefined ? ['java', 'mvn'] : []), ...needs].filter(
    (tool) => spawnSync('which', [tool]).status !== 0,
  );
  if (missing.length > 0) return `needs ${missing.join(' and ')}`;
  if (own !== undefined) return null;
  if (!existsSync(JAR)) spawnSync('timeout', [LOAD_S, ...MAVEN, 'dependency:get', ARTIFACT, '-Dtransitive=false']);
  return existsSync(JAR) ? null : 'needs openapi-generator, which Maven cannot load here';
}

/** Makes the client of a description in `client` below the folder: with default options, unless properties are given. */
export async function generate(
  language: Language,
  folder: string,
  document: string,
  properties: readonly string[] = [],
) {
  writeFileSync(join(folder, 'openapi.json'), document);
  if (language.generate !== undefined) {
    await language.generate(folder);
    return;
  }
  const chosen = properties.length === 0 ? [] : ['--additional-properties', properties.join(',')];
  const options = ['-i', 'openapi.json', '-g', language.generator, '-o', 'client', ...chosen];
  await step(folder, ['java', '-jar', JAR, 'generate', ...options]);
}

/** Returns the output of a command. If it fails, the test fails with its output. */
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
