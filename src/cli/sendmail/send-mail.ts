import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { SYSTEM_CONFIG_FILE } from '../../config/config.ts';
import { channelIn, MOST_RECIPIENTS, mailPublication } from '../../contract/senders/mail.ts';
import { readMail } from '../../contract/senders/mail-reading.ts';
import { fittedTo } from '../../contract/senders/texts.ts';
import { type ExitCode, OperatorProblem } from '../../process/problem.ts';
import type { CommandContext } from '../context.ts';
import { addressOf, type NewEvent, type Posting, post, readKey, refusedBy } from '../posting.ts';

export interface SendmailOptions {
  readonly t?: true;
  readonly i?: true;
  readonly b?: string;
  readonly q?: true | string;
  readonly o?: readonly string[];
  readonly channel?: string;
  readonly keyFile?: string;
  readonly server?: string;
  readonly retryFor: number;
}

/** sysexits.h */
const EX = { USAGE: 64, DATAERR: 65, NOUSER: 67, UNAVAILABLE: 69, TEMPFAIL: 75, NOPERM: 77, CONFIG: 78 } as const;

/** The kept part of a mail; more of a job's output would not be shown. The rest is read and dropped. */
const MOST_BYTES = 1_048_576;

/** Posts the mail on standard input, like sendmail. Throws `OperatorProblem` with sendmail's exit codes. */
export async function sendMail(
  context: CommandContext,
  operands: readonly string[],
  options: SendmailOptions,
): Promise<void> {
  requireSending(options);
  const unknown = operands.find((operand) => operand.startsWith('--'));
  if (unknown !== undefined) throw new OperatorProblem(`unknown option '${unknown}'`, EX.USAGE);
  const settings = await settingsOf(context, options);
  const endsAtDot = options.i !== true && !options.o?.includes('i');
  const bytes = await readMailInput(context.process.stdin, endsAtDot);
  const mail = await readMail(bytes).catch((error: Error) => {
    throw new OperatorProblem(`the mail cannot be read: ${error.message}`, EX.DATAERR);
  });
  const publication = mailPublication(mail, Date.now());
  if (publication === null) throw new OperatorProblem('the mail has no text', EX.DATAERR);
  if ('reply' in publication) {
    context.note(`pushctl: ${publication.reply}`);
    return;
  }
  const named = [...operands.filter((operand) => !operand.startsWith('-')), ...(options.t ? mail.recipients : [])];
  const { event, idempotencyKey = `pushctl-${randomUUID()}` } = fittedTo(publication);
  const answers: unknown[] = [];
  for (const to of settings.channel === null ? channelsIn(named) : [settings.channel]) {
    const posted = { ...event, channel: to, idempotency_key: `${idempotencyKey}:${to}` };
    answers.push(await postMail(context, posted as NewEvent, { ...settings, retryForMs: options.retryFor }));
  }
  // Prints nothing without --json, since cron would mail it.
  if (context.options.json) context.print({ posted: answers }, () => '');
}

/** Rejects sendmail's other modes, such as SMTP on stdin. */
function requireSending({ b: mode = 'm', q }: SendmailOptions): void {
  if (mode === 'm' && q === undefined) return;
  const asked = mode === 'm' ? '-q' : `-b${mode}`;
  throw new OperatorProblem(
    `this sendmail only sends the mail on standard input and does not support ${asked}`,
    EX.USAGE,
    {
      advice: 'there is no queue; for SMTP, use [senders.smtp] of the server',
    },
  );
}

interface Settings extends Omit<Posting, 'retryForMs'> {
  readonly channel: string | null;
}

async function settingsOf(context: CommandContext, { channel, keyFile, server }: SendmailOptions): Promise<Settings> {
  try {
    const isInEnvironment = Boolean(context.process.env.PUSHCTL_API_KEY?.trim());
    const isComplete = channel !== undefined && server !== undefined && (keyFile !== undefined || isInEnvironment);
    const configured = isComplete ? null : (await context.config()).sendmail;
    const file = keyFile ?? (isInEnvironment ? null : (configured?.keyFile ?? null));
    if (file === null && !isInEnvironment) throw new OperatorProblem(NO_KEY, EX.CONFIG, { advice: GIVE_KEY });
    return {
      channel: channel ?? configured?.channel ?? null,
      key: readKey(context, file ?? undefined),
      ...(await addressOf(context, server)),
    };
  } catch (error) {
    throw error instanceof OperatorProblem ? withCode(error, EX.CONFIG) : error;
  }
}

const NO_KEY = 'sendmail has no API key to post with';
const GIVE_KEY = `set key_file below [sendmail] in ${SYSTEM_CONFIG_FILE}, which this user must be able to read; or set PUSHCTL_API_KEY, or pass --key-file`;

function channelsIn(recipients: readonly string[]): readonly string[] {
  const channels = [...new Set(recipients.map(channelIn))].filter((name) => name !== '');
  if (channels.length > 0 && channels.length <= MOST_RECIPIENTS) return channels;
  const what = channels.length === 0 ? 'no recipient' : `more than ${MOST_RECIPIENTS} recipients`;
  throw new OperatorProblem(what, EX.USAGE, { advice: 'name a channel, or set [sendmail] channel' });
}

async function postMail(context: CommandContext, event: NewEvent, posting: Posting): Promise<unknown> {
  const answer = await post(context, event, posting).catch((error) => {
    const isFinal = error instanceof OperatorProblem && error.exitCode !== EX.TEMPFAIL;
    throw isFinal ? withCode(error, EX.UNAVAILABLE) : error;
  });
  if (answer.status === 200 || answer.status === 202) return answer.body;
  throw withCode(refusedBy(answer), codeOf(answer.status));
}

function codeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return EX.NOPERM;
  if (status === 404) return EX.NOUSER;
  return status === 400 || status === 413 || status === 422 ? EX.DATAERR : EX.UNAVAILABLE;
}

function withCode({ what, advice, answer }: OperatorProblem, code: ExitCode): OperatorProblem {
  return new OperatorProblem(what, code, { ...(advice !== null && { advice }), answer });
}

/** Reads a mail from stdin to its end, or to a lone dot (sendmail's default). */
async function readMailInput(input: Readable, canEndAtDot: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const kept = Buffer.from(chunk).subarray(0, MOST_BYTES - size);
    size += kept.length;
    if (kept.length > 0) chunks.push(kept);
  }
  const mail = Buffer.concat(chunks);
  return canEndAtDot ? mail.subarray(0, endIn(mail)) : mail;
}

/** Returns where the dot's line starts. */
function endIn(mail: Buffer): number {
  const at = mail.toString('latin1').search(/^\.\r?$/m);
  return at < 0 ? mail.length : at;
}
