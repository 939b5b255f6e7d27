import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { openedSince, openOnes } from '../alerts/standing.ts';
import { UndoToast, undoable } from '../alerts/undo-toast.tsx';
import { liveAlerts } from '../api/alerts.ts';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { useShared } from '../shared.ts';
import { common, help as texts } from '../texts/common.ts';
import { Banners } from './banners.tsx';
import { useKeys } from './keys.ts';
import { Nav } from './nav.tsx';

export function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {common.skip}
      </a>
      <Nav />
      <main id="content" tabIndex={-1}>
        <NewAlerts />
        <Banners />
        {children}
      </main>
      <Undo />
      <Help />
    </div>
  );
}

/** Rendered before it has a text: otherwise screen readers skip it. */
function Undo() {
  const done = useShared(undoable);
  return (
    <div class="undo" role="status">
      {done !== null && <UndoToast key={done} done={done} />}
    </div>
  );
}

/** Shows all shortcuts on `?`. */
function Help() {
  const [isOpen, setOpen] = useState(false);
  useKeys({ '?': () => setOpen(true) });
  return isOpen ? <HelpDialog close={() => setOpen(false)} /> : null;
}

/** The time in which screen readers find the text. */
const SAID_MS = 5_000;

/** Announces new alerts to screen readers on every page. */
function NewAlerts() {
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

function HelpDialog({ close }: { readonly close: () => void }) {
  return (
    <Dialog title={texts.title} onClose={close}>
      <dl class="keys">
        {Object.entries(texts.keys).map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="dialog-actions">
        <button type="submit">{common.actions.close}</button>
      </form>
    </Dialog>
  );
}
