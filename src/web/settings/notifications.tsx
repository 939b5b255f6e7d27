import { useEffect, useState } from 'preact/hooks';
import { CHOICES, OPEN_HERE } from '../messages.ts';
import { settings as texts } from '../texts/account.ts';

/** Sets what notification taps open here. The worker reads it at the tap. */
export function Notifications() {
  const [isHere, setHere] = useState<boolean | null>(null);
  useEffect(() => {
    void isOpenHere().then(setHere);
  }, []);
  // Unencrypted addresses have neither caches nor notifications.
  if (isHere === null) return null;
  const choose = (isWanted: boolean): void => {
    setHere(isWanted);
    void keep(isWanted);
  };
  return (
    <fieldset class="choices">
      <legend class="group">{texts.notifications.title}</legend>
      <label>
        <input type="checkbox" checked={isHere} onChange={({ currentTarget }) => choose(currentTarget.checked)} />
        <span>
          {texts.notifications.openHere} <span class="hint">{texts.notifications.openHereHint}</span>
        </span>
      </label>
    </fieldset>
  );
}

/** Returns whether taps open the event's page; null: no caches. */
async function isOpenHere(): Promise<boolean | null> {
  try {
    return (await caches.match(OPEN_HERE, { cacheName: CHOICES })) !== undefined;
  } catch {
    return null;
  }
}

async function keep(isHere: boolean): Promise<void> {
  const choices = await caches.open(CHOICES);
  if (isHere) await choices.put(OPEN_HERE, new Response('yes'));
  else await choices.delete(OPEN_HERE);
}
