import { join } from 'node:path';
import type { Command } from 'commander';
import { tomlValue } from '../../config/toml.ts';
import type { SandboxSettings } from '../../sandbox/credentials.ts';
import type { Push } from '../../sandbox/journal.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { examples, portNumber } from '../arguments.ts';
import { describePush } from '../output/describe-push.ts';
import type { Session } from '../session.ts';
import { untilStopped } from '../signals.ts';

const FIRST_PORT = 2197;

interface SandboxOptions {
  readonly port: number;
  readonly credentials?: string;
  readonly acceptUnknownTokens?: boolean;
}

export function addSandbox(program: Command, session: Session): void {
  program
    .command('sandbox')
    .description('run a fake APNs, FCM and Web Push, as strict as the real ones, and show each push as it arrives')
    .option('--port <number>', 'first of nine ports in a row; 0: any free ones', portNumber, FIRST_PORT)
    .option('--credentials <folder>', 'where its keys and CA are kept (default: sandbox in the data folder)')
    .option('--accept-unknown-tokens', 'take any well-formed device token')
    .addHelpText('after', examples('pushctl sandbox', 'pushctl sandbox --port 0 --json'))
    .action((options: SandboxOptions) => run(session, options));
}

async function run(session: Session, options: SandboxOptions): Promise<void> {
  // From here on, so that an early Ctrl-C ends the sandbox as cleanly as a late one.
  const stopped = untilStopped(session.process);
  const { openSandbox } = await import('../open-sandbox.ts');
  const folder = options.credentials ?? join((await session.config()).dataDir, 'sandbox');
  const { sandbox, settings } = await openSandbox(folder, {
    firstPort: options.port,
    acceptUnknownTokens: options.acceptUnknownTokens ?? false,
  });
  const tokens = someTokens(sandbox);
  session.print({ settings, tokens }, () => welcome(settings, tokens));
  sandbox.onPush((push) => session.print({ push: toJson(push) }, () => describePush(push)));
  await stopped;
  await sandbox.close();
}

/** In the names that `--json` has always had. */
function toJson({ number, endpoint, ...push }: Push): object {
  return { number, face: endpoint, ...push };
}

function someTokens(sandbox: Sandbox): Readonly<Record<string, string>> {
  return {
    ios_production: sandbox.token({ platform: 'ios', label: 'ios-production' }),
    ios_sandbox: sandbox.token({ platform: 'ios', environment: 'sandbox', label: 'ios-sandbox' }),
    android: sandbox.token({ platform: 'android', label: 'android' }),
  };
}

function welcome(settings: SandboxSettings, tokens: Readonly<Record<string, string>>): string {
  const tables = Object.entries(settings).map(([name, table]: [string, object]) => {
    const lines = Object.entries(table).map(([key, value]) => `${key} = ${tomlValue(value)}`);
    return [`[${name}]`, ...lines].join('\n');
  });
  const known = Object.entries(tokens).map(([name, token]) => `# ${name}\n${token}`);
  return [
    '# These lines in the configuration point pushctl at this sandbox:',
    ...tables,
    '\n# Tokens of devices that it knows:',
    ...known,
    '\n# Pushes, as they arrive. Ctrl-C ends it.',
  ].join('\n');
}
