import { randomBytes } from 'node:crypto';
import { Option } from 'commander';
import { baseUrlOf } from '../../config/config.ts';
import { createApiKey, inForm } from '../../contract/api-key.ts';
import { pingUrl } from '../../contract/heartbeats.ts';
import { SENDER_NAMES, SENDERS_BASE, type SenderName } from '../../contract/senders/names.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { LEVELS, type Level, SCOPES, type Scope, URGENCIES, type Urgency } from '../../push.ts';
import type { ApiKey } from '../../store/calls.ts';
import { collect, collectOf, duration, durationOption, given, positiveInteger } from '../arguments.ts';
import { addShow, type Command, listingOf, listView, type Noun } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { ALL, pagesOf, printPages } from '../output/listing.ts';
import { fields, when } from '../output/table.ts';

interface IssueOptions {
  readonly name?: string;
  readonly scope?: readonly Scope[];
  readonly channel?: readonly string[];
  readonly expires?: number;
  readonly burst?: number;
  readonly level?: Level;
  readonly urgency?: Urgency;
  readonly for?: SenderName;
}

interface RotateOptions {
  readonly grace: number;
  readonly expires?: number;
  readonly again?: true;
}

const DEFAULT_SCOPES: readonly Scope[] = ['events:write'];
/** Scopes of formats that do more than post. */
const SENDER_SCOPES: Partial<Record<SenderName, readonly Scope[]>> = { pagerduty: ['events:write', 'alerts:write'] };

const KEY: Noun<ApiKey> = {
  name: 'api_key',
  plural: 'api_keys',
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    STATUS: ({ status }) => status,
    SCOPES: ({ scopes }) => scopes.join(' '),
    CHANNELS: channelsOf,
    BURST: ({ burst_per_minute }) => burst_per_minute,
    DEFAULTS: defaultsOf,
    EXPIRES: ({ expires_at }) => when(expires_at),
    'LAST USED': ({ last_used_at }) => when(last_used_at),
  },
  empty: 'No keys yet. Issue one: pushctl key issue <workspace>',
};
const KEY_OF_ANY: Noun<ApiKey & { readonly workspace: string }> = {
  ...KEY,
  columns: { WORKSPACE: ({ workspace }) => workspace, ...KEY.columns },
};

export function addKey(program: Command, context: CommandContext): void {
  const key = program
    .command('key')
    .description('API keys of integrators')
    .examples('pushctl key issue acme --name ci');

  key
    .command('issue <workspace>')
    .description('issue a key; it is shown only once')
    .option('--name <name>', 'purpose of the key')
    .option(
      '--scope <scope>',
      `right of the key: ${SCOPES.join(', ')}; may be repeated (default: events:write, or the scopes that --for needs)`,
      collectOf(SCOPES),
    )
    .option('--channel <slug>', 'only channel that the key may use; may be repeated (default: any)', collect)
    .option('--expires <duration>', 'how long the key is valid (default: forever)', duration)
    .option('--burst <number>', 'most requests in any 60 seconds (default: limits.burst_per_minute)', positiveInteger)
    .addOption(new Option('--level <level>', 'level of its events without a level (default: info)').choices(LEVELS))
    .addOption(
      new Option('--urgency <urgency>', 'delivery_urgency of its events without one (default: standard)').choices(
        URGENCIES,
      ),
    )
    .addOption(
      new Option('--for <format>', 'issue a key for a sender of this format, and print its configuration').choices(
        SENDER_NAMES,
      ),
    )
    .examples(
      'pushctl key issue acme --name ci',
      'pushctl key issue acme --scope events:write --scope events:read --expires 90d',
      'pushctl key issue acme --channel alerts',
      'pushctl key issue acme --channel alerts --for alertmanager',
      'pushctl key issue acme --name nas --channel alerts --for mail --level error --urgency time_sensitive',
      'pushctl key issue acme --channel alerts --scope heartbeats:ping',
    )
    .action((workspace: string, options: IssueOptions) => issue(context, workspace, options));

  key
    .command('list [workspace]')
    .description('list the keys of a workspace, or of all workspaces')
    .examples('pushctl key list acme', 'pushctl key list')
    .action((workspace: string | undefined) => {
      if (workspace === undefined) return listAll(context);
      return context.show('api_keys', (store) => store.listKeys({ workspace }), listView(KEY));
    });

  addShow(key, context, KEY, {
    usage: 'revoke <id>',
    description: 'revoke a key; its next request is rejected',
    examples: ['pushctl key revoke 0123456789ab'],
    ask: (id) => (store) => store.revokeKey({ id }),
  });

  key
    .command('rotate <id>')
    .description('replace a key with a new one; the old key stays valid for a while')
    .addOption(durationOption('--grace <duration>', 'how long the old key stays valid', '24h'))
    .option('--expires <duration>', 'how long the new key is valid (default: as long as the old key was)', duration)
    .option('--again', 'if the key was rotated before: revoke its replacement, and issue another')
    .examples('pushctl key rotate 0123456789ab --grace 1h', 'pushctl key rotate 0123456789ab --again --expires 30d')
    .action((id: string, options: RotateOptions) => rotate(context, id, options));
}

async function issue(context: CommandContext, workspace: string, options: IssueOptions): Promise<void> {
  const { id, secretHash, text } = createApiKey(randomBytes);
  const configuration = await configurationFor(context, options, text);
  const { name, channel: channels, expires, burst: burstPerMinute, level, urgency: deliveryUrgency } = options;
  const terms = given({ name, channels, expires: lifetime(expires), burstPerMinute, level, deliveryUrgency });
  const args = { workspace, id, secretHash, scopes: scopesOf(options), ...terms };
  const apiKey = unwrap(await context.withStore((store) => store.issueKey(args)));
  const pings = apiKey.scopes.includes('heartbeats:ping')
    ? { ping_url: pingUrl(baseUrlOf(await context.config()), `${text}/<slug>`) }
    : null;
  context.print({ key: text, api_key: apiKey, ...(configuration !== null && { configuration }), ...pings }, () => {
    const shown = once(context, text, apiKey);
    if (pings !== null)
      return `${shown}\n\nPings by name: ${pings.ping_url}\nWith ?create=1 after the slug, the first ping adds the heartbeat.`;
    return configuration === null ? shown : `${shown}\n\nFor ${options.for}:\n\n${configuration}`;
  });
}

function scopesOf({ scope, for: format }: IssueOptions): readonly Scope[] {
  const needed = (format && SENDER_SCOPES[format]) ?? DEFAULT_SCOPES;
  return [...new Set(scope ?? needed)];
}

/** Returns what to enter in this key's sender; null: it has none. */
async function configurationFor(context: CommandContext, options: IssueOptions, text: string): Promise<string | null> {
  const { for: format, channel: channels = [] } = options;
  if (format === undefined) return null;
  const [channel, another] = channels;
  if (channel === undefined || another !== undefined) throw new OperatorProblem(ONE_CHANNEL, 2);
  if (!scopesOf(options).includes('events:write'))
    throw new OperatorProblem('--for needs a key with the scope events:write', 2);
  const { SENDERS } = await import('../../contract/senders/table.ts');
  const { keyForm, configuration } = SENDERS[format];
  const address = `${baseUrlOf(await context.config()).replace(/\/api$/, SENDERS_BASE)}/${format}`;
  return configuration({ address, channel, key: inForm(keyForm, text) });
}

const ONE_CHANNEL = '--for needs exactly one --channel, so that a leaked key can only post there';

async function rotate(context: CommandContext, id: string, { grace, expires, again }: RotateOptions): Promise<void> {
  const { id: newId, secretHash, text } = createApiKey(randomBytes);
  const args = given({ id, newId, secretHash, graceMs: grace, expires: lifetime(expires), again });
  const { api_key: apiKey } = unwrap(await context.withStore((store) => store.rotateKey(args)));
  context.print({ key: text, api_key: apiKey }, () => once(context, text, apiKey));
}

function lifetime(afterMs: number | undefined) {
  return afterMs === undefined ? undefined : { afterMs };
}

function once(context: CommandContext, text: string, key: ApiKey): string {
  const { id, name, scopes, expires_at } = key;
  const terms = {
    scopes: scopes.join(' '),
    channels: channelsOf(key),
    defaults: defaultsOf(key),
    expires: when(expires_at),
  };
  const shown = fields(context, { key: text, id, name, ...terms });
  return `${shown}\n\nKeep the key now: it is stored as a hash and cannot be shown again.`;
}

async function listAll(context: CommandContext): Promise<void> {
  await context.withStore((store) => {
    const pages = pagesOf('keys', ALL, (limit, after) => store.listAllKeys(given({ limit, after })));
    return printPages(context, listingOf(KEY_OF_ANY), pages);
  });
}

/** Returns a key's defaults; null: none. */
function defaultsOf({ level, delivery_urgency: urgency }: ApiKey): string | null {
  return [level, urgency].filter(Boolean).join(' ') || null;
}

function channelsOf({ channels }: ApiKey): string {
  if (channels === null) return 'any';
  return channels.length === 0 ? 'none: all were deleted' : channels.join(' ');
}
