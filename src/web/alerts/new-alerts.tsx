import { useEffect, useRef, useState } from 'preact/hooks';
import { liveAlerts } from '../api/alerts.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { openedSince, openOnes } from './opened-since.ts';

/** So long a screen reader finds it on the page. */
const SAID_MS = 5_000;

/** Says to screen readers what opens while the app is shown, wherever one is in it. */
export function NewAlerts() {
  const alerts = useShared(liveAlerts)?.data?.alerts;
  const known = useRef<ReadonlySet<string> | null>(null);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (alerts === undefined) return;
    const opened = known.current === null ? [] : openedSince(known.current, alerts);
    known.current = new Set(openOnes(alerts).map(({ id }) => id));
    if (opened[0]) setSaid(common.opened(opened[0].title, opened.length));
  }, [alerts]);
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <p class="said" role="alert" dir="auto">
      {said}
    </p>
  );
}
