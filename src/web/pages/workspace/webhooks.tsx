import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { partOf } from '../../api/problem.ts';
import { type Change, useChange } from '../../api/use-change.ts';
import { usePages } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { listed } from '../../format/locale.ts';
import { dated, Meta } from '../../manage/line.tsx';
import { EmptyList, PageList } from '../../manage/list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { type OpenWebhook, WebhookDialogs } from '../../manage/webhooks/webhook-dialogs.tsx';
import { webhooks as texts } from '../../texts/senders.ts';

type Webhook = Schema<'Webhook'>;

/** Lists webhooks for alerts and heartbeats: at most five, unpaged. */
function Webhooks({ workspace: { slug } }: ManagedProps) {
  const pages = usePages(
    slug,
    () => partOf(loadWebhooks(slug), ({ webhooks }) => ({ webhooks, next: null })),
    (page) => page.webhooks,
    // The audit log has each webhook's changes.
    ['audit'],
    'names',
  );
  const [open, setOpen] = useState<OpenWebhook | null>(null);
  const [done, finish] = useDone(pages.reload);
  const enabling = useChange();
  const say = (text: string): void => finish({ text });
  const testing = useWebhookTest(slug, say);
  const close = (): void => setOpen(null);
  const enable = async ({ id }: Webhook): Promise<void> => {
    const input = { path: { workspace: slug, webhook: id }, body: { status: 'active' } as const };
    const made = await enabling.make(() => change('patch', '/v1/workspaces/{workspace}/webhooks/{webhook}', input));
    if (made !== null) say(texts.wasEnabled);
  };
  const act = (what: WebhookAction, webhook: Webhook): void => {
    if (what === 'test') void testing.test(webhook);
    else if (what === 'enable') void enable(webhook);
    else setOpen({ kind: what === 'edit' ? 'form' : what, webhook });
  };
  return (
    <Page
      title={texts.title}
      actions={<Button text={texts.add} class="primary" onClick={() => setOpen({ kind: 'form', webhook: null })} />}
    >
      <p class="about">{texts.about}</p>
      <ProblemNote problem={testing.problem ?? enabling.problem} />
      <PageList
        pages={pages}
        label={texts.title}
        row={(webhook) => <WebhookRow key={webhook.id} webhook={webhook} onAsk={(what) => act(what, webhook)} />}
        empty={<EmptyList words={texts} />}
      />
      {open !== null && (
        <WebhookDialogs
          workspace={slug}
          open={open}
          onIssued={(issued) => {
            setOpen({ kind: 'issued', issued });
            void pages.reload();
          }}
          onDone={(text) => {
            close();
            say(text);
          }}
          onClose={close}
        />
      )}
      <Notice done={done} />
    </Page>
  );
}

function loadWebhooks(workspace: string) {
  return ask('get', '/v1/workspaces/{workspace}/webhooks', { path: { workspace } });
}

export default managed(Webhooks);

type WebhookAction = 'edit' | 'test' | 'rotate' | 'disable' | 'enable' | 'remove';

interface WebhookRowProps {
  readonly webhook: Webhook;
  readonly onAsk: (what: WebhookAction) => void;
}

function WebhookRow({ webhook, onAsk }: WebhookRowProps) {
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
        <Meta parts={stateOf(webhook)} />
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
  return [
    status === 'disabled' && (reason === null ? texts.disabled : texts.disabledReasons[reason]),
    failing !== null && dated(texts.failingSince(failureWords(webhook.last_failure ?? '')), failing),
    taken === null ? texts.neverTaken : dated(texts.lastTaken, taken),
    waiting > 0 && texts.waiting(waiting),
    dropped > 0 && texts.dropped(dropped),
  ];
}

const LOOK_AFTER_MS = 1_500;
/** Receivers have ten seconds to answer. */
const MOST_LOOKS = 10;

interface WebhookTest extends Pick<Change, 'problem'> {
  readonly test: (webhook: Webhook) => Promise<void>;
}

/** Sends test messages, and polls for the result. `say`: shows a text and reloads. */
function useWebhookTest(workspace: string, say: (text: string) => void): WebhookTest {
  const { problem, make } = useChange();
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const look = async (before: Webhook, looks: number): Promise<void> => {
    const answer = await loadWebhooks(workspace);
    const after = answer.ok ? answer.data.webhooks.find(({ id }) => id === before.id) : before;
    const result = after && testResult(before, after);
    if (result) say(result);
    else if (after && looks > 1) lookLater(before, looks - 1);
  };
  const lookLater = (before: Webhook, looks: number): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void look(before, looks), LOOK_AFTER_MS);
  };
  return {
    problem,
    async test(webhook) {
      const path = { workspace, webhook: webhook.id };
      const sent = await make(() => change('post', '/v1/workspaces/{workspace}/webhooks/{webhook}/test', { path }));
      if (sent === null) return;
      say(texts.testing);
      lookLater(webhook, MOST_LOOKS);
    },
  };
}

const OF_STATUS = /^http_(\d+)$/;

/** Returns why a receiver failed, in words; connection codes stay. */
function failureWords(failure: string): string {
  const [, status] = OF_STATUS.exec(failure) ?? [];
  if (status !== undefined) return texts.status(status);
  return texts.failures[failure as keyof typeof texts.failures] ?? failure;
}

/** Returns a test's result, from the webhook before and after; null: pending. */
function testResult(before: Webhook, after: Webhook): string | null {
  if (after.last_taken_at !== null && after.last_taken_at !== before.last_taken_at) return texts.tested;
  if (after.failing_since === null || after.failing_since === before.failing_since) return null;
  return texts.testFailed(failureWords(after.last_failure ?? ''));
}
