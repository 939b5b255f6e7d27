import { Option } from 'commander';
import { ALERT_FILTERS, alertsInWords } from '../../store/calls/alerts.ts';
import type { Alert, AlertFilter } from '../../store/calls.ts';
import { duration, given, positiveInteger } from '../arguments.ts';
import { type Command, listingOf, type Noun, thingView } from '../command.ts';
import { type CommandContext, unwrap } from '../context.ts';
import { pagesOf, printPages } from '../output/listing.ts';
import { when } from '../output/table.ts';

const ID = 'evt_01k9z3v5m8q2w4e6r8t0y2a4c6';

const ALERT: Noun<Alert> = {
  name: 'alert',
  plural: 'alerts',
  columns: {
    ALERT: ({ id }) => id,
    OPENED: ({ opened_at }) => when(opened_at),
    CHANNEL: ({ channel }) => channel,
    STATE: ({ state }) => state,
    TITLE: ({ title }) => title,
    REMINDERS: ({ reminders }) => reminders,
    BY: (alert) => alert.ended_by ?? alert.acknowledged_by,
  },
  fields: fieldsOf,
  empty: 'No such alerts. To let a channel open alerts: pushctl channel insist <workspace> <channel>',
};

export function addAlert(program: Command, context: CommandContext): void {
  const alert = program
    .command('alert')
    .description('alerts that repeat until someone acknowledges them')
    .examples('pushctl alert list acme');

  alert
    .command('list <workspace>')
    .description('list the alerts of a workspace, newest first')
    .addOption(new Option('--state <state>', 'only alerts in this state').choices(ALERT_FILTERS).default('live'))
    .option('--channel <slug>', 'only alerts of this channel')
    .option('--limit <number>', 'how many alerts to list', positiveInteger, 20)
    .examples('pushctl alert list acme', 'pushctl alert list acme --state ended --limit 100')
    .action((workspace: string, options: Pick<AlertFilter, 'state' | 'channel'> & { limit: number }) =>
      list(context, workspace, options),
    );

  alert
    .command('show <public_id>')
    .description('show the alert that an event belongs to')
    .examples(`pushctl alert show ${ID}`)
    .action(async (publicId: string) => {
      const shown = unwrap(await context.withReadableStore((store) => store.showAlert({ publicId })));
      context.print(shown, () => thingView(ALERT)(context, shown.alert));
    });

  alert
    .command('acknowledge <public_id>')
    .description('acknowledge an alert, which ends its reminders')
    .option('--for <duration>', 'reopen the alert after this time', duration)
    .option('--all', 'also acknowledge all older open alerts of its channel')
    .option('--as <email>', 'act as this member')
    .examples(`pushctl alert acknowledge ${ID}`, `pushctl alert acknowledge ${ID} --for 1h --as ada@example.com`)
    .action(async (publicId: string, { for: forMs, all, as }: { for?: number; all?: boolean; as?: string }) => {
      const asked = given({ publicId, forS: forMs && Math.round(forMs / 1_000), all, as });
      const done = unwrap(await context.withStore((store) => store.acknowledgeAlert(asked)));
      context.print(done, () => taken(done));
    });

  alert
    .command('resolve <public_id>')
    .description('end an alert: the next event with its key opens a new one')
    .option('--as <email>', 'act as this member')
    .examples(`pushctl alert resolve ${ID}`)
    .action(async (publicId: string, { as }: { as?: string }) => {
      const done = unwrap(await context.withStore((store) => store.resolveAlert(given({ publicId, as }))));
      const { id, state, ended_by } = done.alert;
      const text = done.resolved ? `Resolved ${id}.` : `${id} is ${state} already (${ended_by}).`;
      context.print(done, () => text);
    });

  alert
    .command('reopen <public_id>')
    .description('reopen an alert, or undo what you did to it within the last minute')
    .option('--all', 'undo it for all alerts that your last action changed')
    .option('--as <email>', 'act as this member')
    .examples(`pushctl alert reopen ${ID}`, `pushctl alert reopen ${ID} --all --as ada@example.com`)
    .action(async (publicId: string, { all, as }: { all?: boolean; as?: string }) => {
      const done = unwrap(await context.withStore((store) => store.reopenAlert(given({ publicId, all, as }))));
      context.print(done, () => opened(done));
    });

  alert
    .command('reassign <public_id> <to>')
    .description('reassign an alert to another person, by name or email address')
    .option('--as <email>', 'act as this member')
    .examples(`pushctl alert reassign ${ID} Bob`, `pushctl alert reassign ${ID} bob@example.com --as ada@example.com`)
    .action(async (publicId: string, to: string, { as }: { as?: string }) => {
      const done = unwrap(await context.withStore((store) => store.reassignAlert(given({ publicId, to, as }))));
      const { id, assigned_until } = done.alert;
      context.print(done, () => `Reassigned ${id} to ${done.to}, alone until ${when(assigned_until)}.`);
    });
}

async function list(
  context: CommandContext,
  workspace: string,
  { limit: most, ...filter }: Pick<AlertFilter, 'state' | 'channel'> & { readonly limit: number },
): Promise<void> {
  await context.withReadableStore((store) => {
    const pages = pagesOf('alerts', most, (limit, before) =>
      store.listAlerts(given({ workspace, limit, ...filter, before })),
    );
    return printPages(context, listingOf(ALERT), pages);
  });
}

function taken({ alert, acknowledged }: { readonly alert: Alert; readonly acknowledged: number }): string {
  if (acknowledged > 0) return `Acknowledged ${alertsInWords(acknowledged)}, up to ${alert.id}.`;
  const { id, state, acknowledged_by, snoozed_until } = alert;
  const until = snoozed_until === null ? '' : `, until ${when(snoozed_until)}`;
  return state === 'acknowledged' ? `${acknowledged_by} has ${id}${until}.` : `${id} is ${state} already.`;
}

function opened({ alert, reopened }: { readonly alert: Alert; readonly reopened: number }): string {
  const { id, state, acknowledged_by } = alert;
  if (reopened === 0) return `${id} is ${state} already.`;
  if (reopened > 1) return `Reopened ${alertsInWords(reopened)}.`;
  return state === 'open' ? `Reopened ${id}.` : `Restored ${id}: ${acknowledged_by} has it.`;
}

function fieldsOf(alert: Alert) {
  const { id, workspace, channel, state, title, level, newest_event, reminders, escalated_to } = alert;
  const next = alert.next_escalation;
  return {
    id,
    channel: `${workspace}/${channel}`,
    state,
    title,
    level,
    'newest event': newest_event,
    opened: when(alert.opened_at),
    expires: when(alert.stops_at),
    reminders: reminders === 0 ? 'none' : `${reminders}, the last ${when(alert.reminded_at)}`,
    'escalated to': escalated_to.join(', ') || null,
    'escalates next': next && `to ${next.channel}, ${when(next.at)}`,
    'acknowledged by': alert.acknowledged_by && `${alert.acknowledged_by}, ${when(alert.acknowledged_at)}`,
    'snoozed by': alert.snoozed_by && `${alert.snoozed_by}, until ${when(alert.snoozed_until)}`,
    'ended by': alert.ended_by && `${alert.ended_by}, ${when(alert.ended_at)}`,
    'reassigned to': alert.assigned_to && `${alert.assigned_to}, by ${alert.assigned_by}, ${when(alert.assigned_at)}`,
    'open for all': when(alert.assigned_until),
    'reopened by': alert.reopened_by && `${alert.reopened_by}, ${when(alert.reopened_at)}`,
  };
}
