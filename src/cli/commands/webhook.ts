import { randomBytes } from 'node:crypto';
import { newWebhookSecret, WEBHOOK_KINDS, type WebhookKind, webhookUrlProblem } from '../../contract/webhooks.ts';
import { OperatorProblem } from '../../process/problem.ts';
import type { Refusal, StoreClient, Webhook } from '../../store/calls.ts';
import { collectOf, durationOption, given } from '../arguments.ts';
import { addList, addRemove, addShow, type Command, type Noun, thingView } from '../command.ts';
import { type CommandContext, unwrap, wrongArgument } from '../context.ts';
import { fields, when } from '../output/table.ts';

const ADD_DETAILS = `
The address gets signed POSTs (Standard Webhooks) of these kinds: alert.opened,
alert.acknowledged, alert.resolved, alert.expired, alert.reopened,
alert.reassigned, heartbeat.down, heartbeat.up, on_call.handover.
See docs/webhooks.md for a receiver of twenty lines that verifies signatures.
`;

const WEBHOOK: Noun<Webhook> = {
  name: 'webhook',
  plural: 'webhooks',
  columns: {
    ID: ({ id }) => id,
    URL: ({ url }) => url,
    STATUS: statusOf,
    WAITING: ({ waiting }) => waiting,
    'LAST TAKEN': (webhook) => when(webhook.last_taken_at),
    'FAILS WITH': (webhook) => (webhook.failing_since === null ? null : webhook.last_failure),
  },
  fields: (webhook) => ({
    id: webhook.id,
    url: webhook.url,
    kinds: webhook.kinds.join(' '),
    status: statusOf(webhook),
    'last taken': when(webhook.last_taken_at),
    'failing since': when(webhook.failing_since),
    'last failure': webhook.last_failure,
    waiting: webhook.waiting,
    'given up': webhook.dropped,
    created: when(webhook.created_at),
  }),
  empty: 'No webhooks yet. Add one: pushctl webhook add <workspace> <url>',
};

interface ChangeOptions {
  readonly url?: string;
  readonly kind?: readonly WebhookKind[];
  readonly enable?: true;
  readonly disable?: true;
}

export function addWebhook(program: Command, context: CommandContext): void {
  const webhook = program
    .command('webhook')
    .description('addresses that get messages about alerts and heartbeats of a workspace')
    .examples('pushctl webhook add acme https://hooks.example.com/pushctl');

  webhook
    .command('add <workspace> <url>')
    .description('add a webhook; its secret is shown only once')
    .option('--kind <kind>', 'kind of message to send; may be repeated (default: all kinds)', collectOf(WEBHOOK_KINDS))
    .details(ADD_DETAILS)
    .examples(
      'pushctl webhook add acme https://hooks.example.com/pushctl',
      'pushctl webhook add acme https://hooks.example.com/pushctl --kind alert.opened --kind alert.resolved',
    )
    .action(async (workspace: string, url: string, { kind: kinds }: { kind?: readonly WebhookKind[] }) => {
      await checkUrl(context, url);
      const secret = newWebhookSecret(randomBytes);
      await issue(context, secret, (store) => store.createWebhook(given({ workspace, url, secret, kinds })));
    });

  addList(webhook, context, WEBHOOK, {
    usage: 'list <workspace>',
    description: 'list the webhooks of a workspace',
    examples: ['pushctl webhook list acme'],
    ask: (workspace) => (store) => store.listWebhooks({ workspace }),
  });

  addShow(webhook, context, WEBHOOK, {
    usage: 'show <workspace> <id>',
    description: 'show a webhook: its kinds, pending messages and last failure',
    examples: ['pushctl webhook show acme whk_7m3q0f9t2xkd4w6z'],
    ask: (workspace, id) => (store) => store.showWebhook({ workspace, id }),
  });

  webhook
    .command('change <workspace> <id>')
    .description('change the address or the kinds of a webhook, or disable or enable it')
    .option('--url <url>', 'new address')
    .option('--kind <kind>', 'kind of message to send from now on; may be repeated', collectOf(WEBHOOK_KINDS))
    .option('--enable', 'send new messages again')
    .option('--disable', 'send no messages, and delete pending messages')
    .examples('pushctl webhook change acme whk_7m3q0f9t2xkd4w6z --enable')
    .action((workspace: string, id: string, options: ChangeOptions) => change(context, { workspace, id }, options));

  webhook
    .command('rotate <workspace> <id>')
    .description('give a webhook a new secret; the old secret also signs for a while')
    .addOption(durationOption('--grace <duration>', 'how long the old secret also signs', '24h'))
    .examples('pushctl webhook rotate acme whk_7m3q0f9t2xkd4w6z')
    .action((workspace: string, id: string, { grace: graceMs }: { grace: number }) => {
      const secret = newWebhookSecret(randomBytes);
      return issue(context, secret, (store) => store.rotateWebhook({ workspace, id, secret, graceMs }));
    });

  webhook
    .command('test <workspace> <id>')
    .description('send a message of the kind webhook.test to a webhook')
    .examples('pushctl webhook test acme whk_7m3q0f9t2xkd4w6z')
    .action(async (workspace: string, id: string) => {
      const tested = unwrap(await context.withStore((store) => store.testWebhook({ workspace, id })));
      const next = `See the result: pushctl webhook show ${workspace} ${id}`;
      context.print({ webhook: tested }, () => `A test message is on its way.\n${next}`);
    });

  addRemove(webhook, context, WEBHOOK, {
    usage: 'remove <workspace> <id>',
    description: 'delete a webhook and its pending messages',
    examples: ['pushctl webhook remove acme whk_7m3q0f9t2xkd4w6z'],
    ask: (workspace, id) => (store) => store.deleteWebhook({ workspace, id }),
    confirmation: (_, _workspace, id) => `Removed the webhook ${id}.`,
  });
}

async function change(
  context: CommandContext,
  named: { readonly workspace: string; readonly id: string },
  { url, kind: kinds, enable, disable }: ChangeOptions,
): Promise<void> {
  if (enable && disable) throw new OperatorProblem('--enable and --disable exclude each other', 2);
  if (url === undefined && kinds === undefined && !enable && !disable) {
    throw new OperatorProblem('nothing to change', 2, { advice: 'pass --url, --kind, --enable or --disable' });
  }
  if (url !== undefined) await checkUrl(context, url);
  const status: Webhook['status'] | undefined = enable ? 'active' : disable && 'disabled';
  const asked = given({ ...named, url, kinds, status });
  await context.show('webhook', (store) => store.updateWebhook(asked), thingView(WEBHOOK));
}

/** Rejects forbidden addresses. A name's destination is only known when a message is sent. */
async function checkUrl(context: CommandContext, url: string): Promise<void> {
  const form = webhookUrlProblem(url);
  if (form !== null) throw wrongArgument(form);
  if ((await context.config()).webhooks.allowPrivate) return;
  const { webhookPlaceProblem } = await import('../../contract/webhook-addresses.ts');
  const place = webhookPlaceProblem(url);
  if (place !== null) throw wrongArgument(place);
}

async function issue(
  context: CommandContext,
  secret: string,
  ask: (store: StoreClient) => Promise<Webhook | Refusal>,
): Promise<void> {
  const webhook = unwrap(await context.withStore(ask));
  context.print({ secret, webhook }, () => {
    const shown = fields(context, { secret, id: webhook.id, url: webhook.url, kinds: webhook.kinds.join(' ') });
    return `${shown}\n\nKeep the secret now: it is not shown again.`;
  });
}

function statusOf({ status, disabled_reason: reason }: Webhook): string {
  return reason === null ? status : `${status}: ${reason}`;
}
