import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { baseUrlOf } from '../../config.ts';
import { OperatorProblem } from '../../problem.ts';
import { type EventRecord, LEVELS, type Level, URGENCIES, type Urgency } from '../../push.ts';
import { postEvent } from '../api.ts';
import { duration, examples } from '../arguments.ts';
import type { Session } from '../session.ts';

interface SendOptions {
  readonly description?: string;
  readonly imageUrl?: string;
  readonly url?: string;
  readonly level?: Level;
  readonly urgency?: Urgency;
  readonly eventType?: string;
  readonly collapseKey?: string;
  readonly expiresIn?: number;
  readonly idempotencyKey?: string;
  readonly keyFile?: string;
  readonly server?: string;
}

export function addSend(program: Command, session: Session): void {
  program
    .command('send <channel> <title>')
    .description('post an event through the HTTP API, as an integrator would; the key comes from PUSHCTL_API_KEY')
    .option('--description <text>', 'the text below the title')
    .option('--image-url <url>', 'an https image')
    .option('--url <url>', 'where a tap leads')
    .addOption(new Option('--level <level>', 'how the app shows it (default: info)').choices(LEVELS))
    .addOption(new Option('--urgency <urgency>', 'its delivery_urgency (default: standard)').choices(URGENCIES))
    .option('--event-type <type>', 'a type for programs')
    .option('--collapse-key <key>', 'it takes the place of an earlier one with the same key on the device')
    .option('--expires-in <duration>', 'do not send it after that: 60s up to the time to live of the server', duration)
    .option('--idempotency-key <key>', 'the same key again is the same event')
    .option('--key-file <file>', 'read the API key from this file instead')
    .option('--server <base_url>', 'the service, ends with /api (default: base_url, else listen)')
    .addHelpText(
      'after',
      examples(
        'PUSHCTL_API_KEY=pctl_… pushctl send builds "Build failed" --level error --url https://ci.example.com/42',
      ),
    )
    .action((channel: string, title: string, options: SendOptions) => send(session, channel, title, options));
}

async function send(session: Session, channel: string, title: string, options: SendOptions): Promise<void> {
  const key = readKey(session, options.keyFile);
  const baseUrl = options.server ?? baseUrlOf(await session.config());
  const { status, body } = await postEvent(baseUrl, key, {
    channel,
    title,
    description: options.description,
    image_url: options.imageUrl,
    url: options.url,
    level: options.level,
    delivery_urgency: options.urgency,
    event_type: options.eventType,
    collapse_key: options.collapseKey,
    expires_in: options.expiresIn === undefined ? undefined : Math.floor(options.expiresIn / 1_000),
    idempotency_key: options.idempotencyKey,
  });
  if (status === 200 || status === 202) {
    session.print(body, () => queued((body as { event: EventRecord }).event, status));
    return;
  }
  if (session.options.json) session.print(body, () => '');
  throw new OperatorProblem(`the service answered ${status}: ${explain(body)}`);
}

function readKey({ process }: Session, file: string | undefined): string {
  if (file !== undefined) {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new OperatorProblem(`cannot read the key file ${file} (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  const key = process.env.PUSHCTL_API_KEY?.trim();
  if (key) return key;
  throw new OperatorProblem('no API key: set PUSHCTL_API_KEY, or name a file with --key-file', 2);
}

function queued({ public_id, target_device_count: count }: EventRecord, status: 200 | 202): string {
  const what = status === 202 ? 'Queued' : 'Already known:';
  return `${what} ${public_id} for ${count} ${count === 1 ? 'device' : 'devices'}.\nSee what became of it: pushctl event show ${public_id}`;
}

/** The API's own words; of a 422 every one of them. */
function explain(body: unknown): string {
  const { message, errors } = body as { message?: string; errors?: Record<string, readonly string[]> };
  return (
    Object.values(errors ?? {})
      .flat()
      .join(' ') ||
    message ||
    'no message'
  );
}
