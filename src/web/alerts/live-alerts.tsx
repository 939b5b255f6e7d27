import type { AlertPage } from '../api/alerts.ts';
import { alerts as texts } from '../texts/alerts.ts';
import { AlertList } from './alert-list.tsx';

export default function LiveAlerts({ page: { alerts, next } }: { readonly page: AlertPage }) {
  return (
    <>
      <AlertList title={texts.open} alerts={alerts.filter(({ state }) => state === 'open')} />
      <AlertList title={texts.taken} alerts={alerts.filter(({ state }) => state === 'acknowledged')} />
      {next !== null && <p class="end">{texts.more(alerts.length)}</p>}
    </>
  );
}
