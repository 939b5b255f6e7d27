import { tomlValue } from '../../config/example.ts';
import type { BrowserSubscription } from '../../contract/addresses/address.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { untilStopped } from '../../process/until-stopped.ts';
import { PROVIDER_NAMES, PROVIDERS } from '../../push.ts';
import type { SandboxSettings } from '../../sandbox/credentials.ts';
import type { Fault } from '../../sandbox/faults.ts';
import type { Push } from '../../sandbox/journal.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { collect, portNumber } from '../arguments.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { describePush } from '../output/describe-push.ts';

export const FIRST_PORT = 2197;
const FAULT_FORM = `429, 500, slow=2s, stale=10%, reset or hang, then [:${PROVIDER_NAMES.join('|')}] and [:for=60s]`;

interface SandboxOptions {
  readonly port: number;
  readonly credentials?: string;
  readonly acceptUnknownTokens?: boolean;
  readonly app?: readonly string[];
  readonly fault?: readonly string[];
}

export function addSandbox(program: Command, context: CommandContext): void {
  const sandbox = program
    .command('sandbox')
    .description('run a fake APNs, FCM and Web Push as strict as the real services, and show each push as it arrives')
    .option('--port <number>', 'first of twelve ports in a row; 0: any free ones', portNumber, FIRST_PORT)
    .option('--credentials <folder>', 'folder of its keys and CA (default: sandbox in the data folder)')
    .option('--accept-unknown-tokens', 'accept any well-formed device token')
    .option('--app <bundle-id>', 'another app of the fake APNs, for apns.topics; may be repeated', collect)
    .option('--fault <fault>', `rehearse an outage: ${FAULT_FORM}; may be repeated`, collect)
    .examples('pushctl sandbox', 'pushctl sandbox --port 0 --json', 'pushctl sandbox --fault 429:apns:for=5m')
    .action((options: SandboxOptions) => run(context, options));
  sandbox
    .command('fault [fault...]')
    .description(`replace the faults of the running sandbox; without arguments, remove them (${FAULT_FORM})`)
    .examples(
      'pushctl sandbox fault 500:fcm',
      'pushctl sandbox fault stale=10% slow=2s:apns:for=60s',
      'pushctl sandbox fault',
    )
    .action(async (texts: readonly string[]) => {
      const { askForFaults } = await import('../open-sandbox.ts');
      const faults = await askForFaults(await folderOf(context, sandbox.opts<SandboxOptions>()), await faultsOf(texts));
      context.print({ faults }, () =>
        faults.length === 0 ? 'The sandbox has no faults.' : `In force: ${faults.join(' ')}`,
      );
    });
}

async function folderOf(context: CommandContext, { credentials }: SandboxOptions): Promise<string> {
  if (credentials !== undefined) return credentials;
  const { sandboxFolder } = await import('../data-folder.ts');
  return sandboxFolder((await context.config()).dataDir);
}

/** Parses faults. Throws an `OperatorProblem` for an invalid one. */
async function faultsOf(texts: readonly string[]): Promise<readonly Fault[]> {
  const { parseFault } = await import('../../sandbox/faults.ts');
  return texts.map((text) => {
    const fault = parseFault(text);
    if (fault === null) throw new OperatorProblem(`${text} is not a fault: expected ${FAULT_FORM}`, 2);
    return fault;
  });
}

async function run(context: CommandContext, options: SandboxOptions): Promise<void> {
  // Listens from here on, so that an early Ctrl-C ends the sandbox cleanly too.
  const stopped = untilStopped(context.process);
  const { openSandbox } = await import('../open-sandbox.ts');
  const faults = await faultsOf(options.fault ?? []);
  const folder = await folderOf(context, options);
  const { sandbox, settings } = await openSandbox(folder, {
    firstPort: options.port,
    acceptUnknownTokens: options.acceptUnknownTokens ?? false,
    topics: options.app ?? [],
  });
  sandbox.setFaults(faults);
  const { serveControl } = await import('../open-sandbox.ts');
  const control = await serveControl(folder, sandbox);
  const known = { tokens: someTokens(sandbox), subscriptions: someSubscriptions(sandbox) };
  const { firefox, chromium } = sandbox.webpush;
  const browsers = { firefox: firefox.preferences, chromium: chromium.switches };
  context.print({ settings, ...known, browsers }, () => welcome(settings, known, browsers));
  sandbox.onPush((push) => context.print({ push: toJson(push) }, () => describePush(push)));
  await stopped;
  control.close();
  await sandbox.close();
}

/** Converts a push for `--json`, whose own names stay. */
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

/** Returns subscriptions in the form of browsers, by the route of their push service. */
function someSubscriptions(sandbox: Sandbox): Readonly<Record<string, BrowserSubscription>> {
  const made = PROVIDERS.webpush.routes.map((service) => {
    const endpoint = sandbox.token({ platform: 'web', service, label: service });
    return [service, { endpoint, keys: sandbox.webpush.keysOf(endpoint) }] as const;
  });
  return Object.fromEntries(made);
}

interface Known {
  readonly tokens: Readonly<Record<string, string>>;
  readonly subscriptions: Readonly<Record<string, BrowserSubscription>>;
}

interface Browsers {
  readonly firefox: Readonly<Record<string, string | boolean>>;
  readonly chromium: readonly string[];
}

function welcome(settings: SandboxSettings, { tokens, subscriptions }: Known, browsers: Browsers): string {
  const tables = Object.entries(settings).map(([name, table]: [string, object]) => {
    const lines = Object.entries(table).map(([key, value]) => `${key} = ${tomlValue(value)}`);
    return [`[${name}]`, ...lines].join('\n');
  });
  const tokenLines = [
    ...Object.entries(tokens),
    ...Object.entries(subscriptions).map(([name, subscription]) => [name, JSON.stringify(subscription)]),
  ];
  const preferences = Object.entries(browsers.firefox).map(([name, value]) => `${name} = ${value}`);
  return [
    '# These lines in the configuration point pushctl at this sandbox. `pushctl init --sandbox` writes them:',
    ...tables,
    '\n# Tokens and subscriptions of known devices:',
    ...tokenLines.map(([name, token]) => `# ${name}\n${token}`),
    '\n# Real browsers subscribe here instead, Firefox with these preferences in about:config:',
    ...preferences,
    '# and Chromium with these switches and a separate --user-data-dir:',
    ...browsers.chromium,
    '\n# Pushes, as they arrive. Ctrl-C ends the sandbox.',
  ].join('\n');
}
