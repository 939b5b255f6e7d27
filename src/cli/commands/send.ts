import { randomUUID } from 'node:crypto';
import { CommanderError, Option } from 'commander';
import { OperatorProblem } from '../../process/problem.ts';
import { type EventRecord, LEVELS, type Level, URGENCIES, type Urgency } from '../../push.ts';
import { isJsonObject } from '../../values/json.ts';
import { fromTimestamp, toTimestamp } from '../../values/timestamp.ts';
import { collect, collectPair, duration, laterTime } from '../arguments.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { show, when } from '../output/table.ts';
import { type Answered, addressOf, post, readKey, refusedBy, retryForOption } from '../posting.ts';
import type { SendmailOptions } from '../sendmail/send-mail.ts';

interface SendOptions {
  readonly description?: string;
  readonly imageUrl?: string;
  readonly url?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly level?: Level;
  readonly urgency?: Urgency;
  readonly eventType?: string;
  readonly collapseKey?: string;
  readonly expiresIn?: number;
  readonly occurredAt?: string;
  readonly at?: string;
  readonly idempotencyKey?: string;
  readonly validateOnly?: boolean;
  readonly retryFor: number;
  readonly keyFile?: string;
  readonly server?: string;
}

export function addSend(program: Command, context: CommandContext): void {
  program
    .command('send <channel> <title>')
    .description('post an event through the HTTP API, as an integrator would; the key comes from PUSHCTL_API_KEY')
    .option('--description <text>', 'the text below the title')
    .option('--image-url <url>', 'https address of an image')
    .option('--url <url>', 'address that a tap opens')
    .option('--data <name=value>', 'a pair for the app; repeatable, up to 20', collectPair)
    .addOption(new Option('--level <level>', 'level, for how the app shows it (default: info)').choices(LEVELS))
    .addOption(
      new Option('--urgency <urgency>', 'delivery_urgency of the event (default: standard)').choices(URGENCIES),
    )
    .option('--event-type <type>', 'a type for programs')
    .option('--collapse-key <key>', 'replace an earlier push with the same key on the device')
    .option(
      '--expires-in <duration>',
      'stop sending after this time: 60s up to the time to live of the server',
      duration,
    )
    .option('--occurred-at <time>', 'when the event happened, if earlier: 2026-11-21T09:30:00Z')
    .option(
      '--at <time>',
      'send the event later, up to 30 days ahead: 2026-11-21T09:30:00Z, or after a duration such as 2h',
      laterTime,
    )
    .option('--idempotency-key <key>', 'deduplicate posts with the same key (default: a new key for this command)')
    .option('--validate-only', 'only check the event: nothing is stored, counted or sent')
    .addOption(retryForOption())
    .option('--key-file <file>', 'read the API key from this file instead')
    .option('--server <base_url>', 'base URL of the service, ends with /api (default: base_url, else listen)')
    .examples(
      'PUSHCTL_API_KEY=pctl_… pushctl send builds "Build failed" --level error --url https://ci.example.com/42',
      'pushctl send ops "Maintenance begins" --at 2026-11-21T22:00:00+01:00 --key-file ops.key',
    )
    .action((channel: string, title: string, options: SendOptions) => send(context, channel, title, options));
}

async function send(context: CommandContext, channel: string, title: string, options: SendOptions): Promise<void> {
  const key = readKey(context, options.keyFile);
  const place = await addressOf(context, options.server);
  const event = {
    channel,
    title,
    description: options.description,
    image_url: options.imageUrl,
    url: options.url,
    data: options.data,
    level: options.level,
    delivery_urgency: options.urgency,
    event_type: options.eventType,
    collapse_key: options.collapseKey,
    expires_in: options.expiresIn === undefined ? undefined : Math.floor(options.expiresIn / 1_000),
    occurred_at: options.occurredAt,
    send_at: options.at,
    idempotency_key: options.idempotencyKey ?? `pushctl-${randomUUID()}`,
    validate_only: options.validateOnly,
  };
  report(context, await post(context, event, { ...place, key, retryForMs: options.retryFor }), options);
}

/** Reports the result. Mentions replays only with a given idempotency key: otherwise an earlier attempt arrived. */
function report(context: CommandContext, answer: Answered, { idempotencyKey, at }: SendOptions): void {
  const { status, body, isReplay, bodyDiffers, leavesAlert } = answer;
  if (status !== 200 && status !== 202) {
    throw refusedBy(answer);
  }
  if (!isEvent(body)) {
    if (!isValid(body))
      throw new OperatorProblem(`the service answered ${status}, but not like pushctl`, 1, {
        advice: 'is this its address?',
      });
    context.print(body, () => `Valid: it would go to ${devices(body.target_device_count)}.`);
    return;
  }
  const replay = { replayed: isReplay, body_differs: bodyDiffers };
  context.print({ ...body, ...replay }, () => queued(body.event, isReplay && idempotencyKey !== undefined, at));
  if (bodyDiffers) context.note('pushctl: this idempotency key was used with another body; the new body is ignored');
  if (leavesAlert)
    context.note('pushctl: the alert stays open: others have posted to it, and this key does not have alerts:write');
}

function isEvent(body: unknown): body is { readonly event: EventRecord } {
  return isJsonObject(body) && isValid(body.event) && 'public_id' in body.event;
}

function isValid(body: unknown): body is { readonly target_device_count: number } {
  return isJsonObject(body) && typeof body.target_device_count === 'number';
}

function queued({ public_id, target_device_count: count }: EventRecord, isKnown: boolean, at?: string): string {
  const what = isKnown ? 'Already known:' : 'Queued';
  const id = show(public_id);
  const next = `See the result: pushctl event show ${id}`;
  const atMs = at === undefined ? null : fromTimestamp(at);
  if (isKnown || atMs === null || atMs <= Date.now()) return `${what} ${id} for ${devices(count)}.\n${next}`;
  return `Scheduled ${id} for ${when(toTimestamp(atMs))}, to the devices subscribed then.\nTo cancel it: pushctl event cancel ${id}`;
}

function devices(count: number): string {
  return `${count} ${count === 1 ? 'device' : 'devices'}`;
}

/** Ignored options of sendmail, with and without a value. */
const PASSED_OVER = {
  valued: ['-A', '-B', '-C', '-d', '-F', '-f', '-h', '-L', '-N', '-O', '-p', '-R', '-r', '-V', '-X'],
  plain: ['-G', '-m', '-n', '-U', '-v'],
};

/** sysexits.h */
const EX_USAGE = 64;

export function addSendmail(program: Command, context: CommandContext): void {
  const sendmail = program
    .command('sendmail [recipients...]')
    .description('post the mail on standard input as an event; replaces /usr/sbin/sendmail for cron and others')
    .option('-t', 'take the recipients from the mail')
    .option('-i', 'do not end the mail at a line with only a dot (also -oi)')
    .option('--channel <slug>', 'channel to post to (default: sendmail.channel, else the names of the recipients)')
    .option('--key-file <file>', 'read the API key from this file (default: PUSHCTL_API_KEY, else sendmail.key_file)')
    .option('--server <base_url>', 'base URL of the service, ends with /api (default: base_url, else listen)')
    .addOption(retryForOption())
    .addOption(new Option('-b <mode>').hideHelp())
    .addOption(new Option('-q [interval]').hideHelp())
    .addOption(new Option('-o <option>').argParser(collect).hideHelp())
    .helpOption('--help', 'display help for command')
    .allowUnknownOption()
    .exitOverride(({ code, exitCode, message }) => {
      throw new CommanderError(exitCode === 0 ? 0 : EX_USAGE, code, message);
    })
    .examples(
      'ln -s /usr/local/bin/pushctl /usr/sbin/sendmail',
      'printf "Subject: Disk full\\n\\ndb-1 has 2 GB left\\n" | pushctl sendmail --key-file /etc/pushctl-key alerts',
    )
    .action(async (operands: readonly string[], options: SendmailOptions) => {
      const { sendMail } = await import('../sendmail/send-mail.ts');
      await sendMail(context, operands, options);
    });
  for (const flag of PASSED_OVER.valued) sendmail.addOption(new Option(`${flag} <value>`).hideHelp());
  for (const flag of PASSED_OVER.plain) sendmail.addOption(new Option(flag).hideHelp());
}
