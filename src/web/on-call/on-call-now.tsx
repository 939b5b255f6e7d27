import { ask } from '../api/ask.ts';
import { useLoad } from '../api/use-load.ts';
import { nowMs } from '../clock.ts';
import { useShared } from '../shared.ts';
import { onCall as texts } from '../texts/alerts.ts';
import { workspaceLabel } from '../workspace-names.ts';
import { statusWords } from './status-words.ts';

/** Says for each rota of the person's workspaces who is on call, and leads to its page. Nothing without a rota. */
export function OnCallNow() {
  const { data } = useLoad('on-call', () => ask('get', '/v1/on-call', {}), ['on_call']);
  const now = useShared(nowMs);
  if (data === null || data.rotas.length === 0) return null;
  return (
    <section aria-label={texts.onAlerts}>
      <h2 class="group">{texts.onAlerts}</h2>
      <ul class="list">
        {data.rotas.map((rota) => (
          <li key={`${rota.workspace}/${rota.slug}`} class="row">
            <a href="/on-call" dir="auto">
              {texts.ofRota(
                [rota.name, workspaceLabel(rota.workspace)].filter(Boolean).join(' · '),
                statusWords(rota, now),
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
