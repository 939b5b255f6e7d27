import { useState } from 'preact/hooks';
import { ask, change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoad } from '../../api/use-load.ts';
import { Page } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Notice, useDone } from '../../components/toast.tsx';
import { EmptyList } from '../../manage/empty-list.tsx';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { useWebhookTest } from '../../manage/webhooks/use-webhook-test.ts';
import { type OpenWebhook, WebhookDialogs } from '../../manage/webhooks/webhook-dialogs.tsx';
import { type WebhookAction, WebhookRow } from '../../manage/webhooks/webhook-row.tsx';
import { webhooks as texts } from '../../texts/senders.ts';

type Webhook = Schema<'Webhook'>;

/** Lists webhooks for alerts and heartbeats: at most five, unpaged. */
function Webhooks({ workspace: { slug } }: ManagedProps) {
  const { data, problem, reload } = useLoad(
    slug,
    () => ask('get', '/v1/workspaces/{workspace}/webhooks', { path: { workspace: slug } }),
    // The audit log has each webhook's changes.
    ['audit'],
  );
  const [open, setOpen] = useState<OpenWebhook | null>(null);
  const [done, finish] = useDone(reload);
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
  const all = data?.webhooks ?? [];
  return (
    <Page
      title={texts.title}
      actions={
        <button type="button" class="primary" onClick={() => setOpen({ kind: 'form', webhook: null })}>
          {texts.add}
        </button>
      }
    >
      <p class="about">{texts.about}</p>
      <ProblemNote problem={problem} retry={reload} />
      <ProblemNote problem={testing.problem ?? enabling.problem} />
      {data === null && problem === null && <Skeleton label={texts.loading} />}
      {data !== null && all.length === 0 && <EmptyList words={texts} />}
      {all.length > 0 && (
        <ul class="list lines" aria-label={texts.title}>
          {all.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} onAsk={(what) => act(what, webhook)} />
          ))}
        </ul>
      )}
      {open !== null && (
        <WebhookDialogs
          workspace={slug}
          open={open}
          onIssued={(issued) => {
            setOpen({ kind: 'issued', issued });
            void reload();
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

export default managed(Webhooks);
