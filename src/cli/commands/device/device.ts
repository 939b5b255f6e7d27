import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { Option } from 'commander';
import { v7 as uuidv7 } from 'uuid';
import type { BrowserSubscription } from '../../../contract/addresses/address.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import { type Environment, PLATFORMS, type Platform, type TokenKind } from '../../../push.ts';
import { collect, given } from '../../arguments.ts';
import { addRemove, type Command, listingOf } from '../../command.ts';
import { type CommandContext, unwrap } from '../../context.ts';
import { DEVICE, deviceTable, OWNED_DEVICE } from '../../output/device-table.ts';
import { ALL, pagesOf, printPages } from '../../output/listing.ts';
import { addDeviceChanges, addDevicePrune } from './changes.ts';
import { addDeviceExport } from './export.ts';
import { addDeviceImport } from './import.ts';

interface AddOptions {
  readonly platform: Platform;
  readonly token?: string;
  readonly subscription?: string;
  readonly tokenKind?: TokenKind;
  readonly environment?: Environment;
  readonly app?: string;
  readonly name?: string;
  readonly subscribe?: readonly string[];
}

export function addDevice(program: Command, context: CommandContext): void {
  const device = program
    .command('device')
    .description('phones, tablets and browsers that receive pushes')
    .examples('pushctl device list acme');

  device
    .command('add <workspace> <email>')
    .description('register a device of a member, or update it if its token or subscription is known')
    .addOption(new Option('--platform <platform>', 'platform of the device').choices(PLATFORMS).makeOptionMandatory())
    .option('--token <token>', 'APNs device token (hex) or FCM registration token')
    .addOption(
      new Option(
        '--subscription <file>',
        "web: JSON of the browser's push subscription; - for standard input",
      ).conflicts('token'),
    )
    .addOption(new Option('--token-kind <kind>', 'android only').choices(['token', 'installation_id']))
    .addOption(new Option('--environment <name>', 'ios only (default: production)').choices(['production', 'sandbox']))
    .option('--app <bundle-id>', 'ios only: bundle id of its app, one of apns.topics (default: apns.topic)')
    .option('--name <name>', 'a name for people')
    .option('--subscribe <channel>', 'a channel of the workspace; may be repeated', collect)
    .examples(
      'pushctl device add acme ada@example.com --platform ios --token 0a1b… --subscribe builds',
      '# in the browser: JSON.stringify(await registration.pushManager.subscribe())',
      'pushctl device add acme ada@example.com --platform web --subscription firefox.json --subscribe builds',
    )
    .action((workspace: string, email: string, options: AddOptions) => add(context, { workspace, email }, options));

  addDeviceImport(device, context);
  addDeviceExport(device, context);
  addDevicePrune(device, context);

  device
    .command('list <workspace>')
    .description('list the devices of a workspace')
    .option('--email <email>', 'only devices of this member')
    .examples('pushctl device list acme', 'pushctl device list acme --email ada@example.com')
    .action(async (workspace: string, options: { email?: string }) => {
      const whose = { workspace, ...options };
      await context.withStore((store) => {
        const pages = pagesOf('devices', ALL, (limit, after) => store.listDevices(given({ ...whose, limit, after })));
        return printPages(context, listingOf(OWNED_DEVICE), pages);
      });
    });

  addDeviceChanges(device, context);

  addRemove(device, context, DEVICE, {
    usage: 'remove <id>',
    description: 'delete a device and its subscriptions',
    examples: ['pushctl device remove dev_0123456789abcdef'],
    ask: (id) => (store) => store.removeDevice({ id }),
    confirmation: (_, id) => `Removed the device ${id}.`,
  });

  device
    .command('test <id>')
    .description('queue a test push to one device; it does not count as usage')
    .examples('pushctl device test dev_0123456789abcdef')
    .action((id: string) => test(context, id));
}

interface Owner {
  readonly workspace: string;
  readonly email: string;
}

async function add(
  context: CommandContext,
  owner: Owner,
  { subscription: file, ...options }: AddOptions,
): Promise<void> {
  if (file === undefined && options.token === undefined) {
    throw new OperatorProblem('no address', 2, { advice: 'pass --token, or --subscription for a browser' });
  }
  const browser = file === undefined ? {} : { subscription: await readSubscription(context, file) };
  const args = { ...owner, ...options, ...browser };
  const { device } = unwrap(await context.withStore((store) => store.addDevice(args)));
  context.print({ device }, () => deviceTable(context, device));
}

async function test(context: CommandContext, id: string): Promise<void> {
  const args = { id, uuid: uuidv7() };
  const { event } = unwrap(await context.withStore((store) => store.testDevice(args)));
  const next = `See the result: pushctl event show ${event.public_id}`;
  context.print({ event }, () => `Queued ${event.public_id} for ${id}.\n${next}`);
}

/** Browsers' longest subscriptions have some 700 bytes. */
const MAX_BYTES = 16 * 1024;

/**
 * Reads a push subscription (`PushSubscription.toJSON()`) from a file, or `-` for stdin. Addresses are checked later.
 * Errors never show its secret contents.
 */
async function readSubscription({ process }: CommandContext, file: string): Promise<BrowserSubscription> {
  const text = await read(file === '-' ? process.stdin : createReadStream(file), file);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw wrong(`${file} is not JSON`);
  }
}

async function read(input: Readable, file: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of input) {
      parts.push(part);
      bytes += part.length;
      if (bytes > MAX_BYTES) break;
    }
  } catch (error) {
    throw wrong(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  if (bytes > MAX_BYTES) throw wrong(`${file} has more than ${MAX_BYTES} bytes, so it is not a push subscription`);
  return Buffer.concat(parts).toString('utf8');
}

function wrong(what: string): OperatorProblem {
  const advice = 'name a file with the JSON of PushSubscription.toJSON() from the browser, or - for standard input';
  return new OperatorProblem(what, 1, { advice });
}
