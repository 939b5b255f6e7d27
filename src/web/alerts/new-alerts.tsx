import { useEffect, useRef, useState } from 'preact/hooks';
import { liveAlerts } from '../api/alerts.ts';
import { useShared } from '../shared.ts';
import { common } from '../texts/common.ts';
import { openedSince, openOnes } from './standing.ts';

/** The time in which screen readers find the text. */
const SAID_MS = 5_000;

/** Announces new alerts to screen readers on every page. */
export function NewAlerts() {
  const alerts = useShared(liveAlerts)?.data?.alerts;
  const known = useRef<ReadonlySet<string> | null>(null);
  const [text, setText] = useState('');
  useEffect(() => {
    if (alerts === undefined) return;
    const added = known.current === null ? [] : openedSince(known.current, alerts);
    known.current = new Set(openOnes(alerts).map(({ id }) => id));
    if (added[0]) setText(common.opened(added[0].title, added.length));
  }, [alerts]);
  useEffect(() => {
    if (text === '') return;
    const timer = setTimeout(() => setText(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="said" role="alert" dir="auto">
      {text}
    </p>
  );
}
