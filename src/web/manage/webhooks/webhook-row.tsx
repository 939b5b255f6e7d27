import type { ComponentChildren } from 'preact';
import type { Schema } from '../../api/client.ts';
import { Moment } from '../../components/moment.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { listed } from '../../format/locale.ts';
import { webhooks as texts } from '../../texts/senders.ts';
import { failureWords } from './webhook-words.ts';

type Webhook = Schema<'Webhook'>;
export type WebhookAction = 'edit' | 'test' | 'rotate' | 'disable' | 'enable' | 'remove';

interface Props {
  readonly webhook: Webhook;
  readonly onAsk: (what: WebhookAction) => void;
}

export function WebhookRow({ webhook, onAsk }: Props) {
  const { url, kinds, status } = webhook;
  const isActive = status === 'active';
  const action = (what: WebhookAction, text: string, named: (url: string) => string, style?: string) => (
    <button type="button" class={style} aria-label={named(url)} onClick={() => onAsk(what)}>
      {text}
    </button>
  );
  return (
    <li class="entry">
      <div class="entry-text">
        <p class={isActive ? 'entry-name' : 'entry-name entry-ended'} dir="ltr">
          {url}
        </p>
        <p class="entry-meta">{listed(kinds.map((kind) => texts.kind[kind]))}</p>
        <p class="entry-meta">
          {stateOf(webhook).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: their order is fixed
            <span key={index}>{part}</span>
          ))}
        </p>
      </div>
      <RowMenu label={texts.menu(url)}>
        {action('edit', texts.edit, texts.editOf)}
        {isActive && action('test', texts.test, texts.testOf)}
        {action('rotate', texts.rotate, texts.rotateOf)}
        {isActive ? action('disable', texts.disable, texts.disableOf) : action('enable', texts.enable, texts.enableOf)}
        {action('remove', texts.remove, texts.removeOf, 'danger')}
      </RowMenu>
    </li>
  );
}

function stateOf(webhook: Webhook): readonly ComponentChildren[] {
  const { status, disabled_reason: reason, last_taken_at: taken, failing_since: failing, waiting, dropped } = webhook;
  const parts = [
    status === 'disabled' && (reason === null ? texts.disabled : texts.disabledReasons[reason]),
    failing !== null && dated(texts.failingSince(failureWords(webhook.last_failure ?? '')), failing),
    taken === null ? texts.neverTaken : dated(texts.lastTaken, taken),
    waiting > 0 && texts.waiting(waiting),
    dropped > 0 && texts.dropped(dropped),
  ];
  return parts.filter((part) => part !== false);
}

function dated(what: string, at: string): ComponentChildren {
  return [what, ' ', <Moment key="" at={at} dated />];
}
