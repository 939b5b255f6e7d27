import { usePerson } from '../session.ts';
import { texts } from '../texts/waiting.ts';

/** Where one belongs, but this session has no rights before an invitation link of that workspace is opened in it. */
export function WaitingNote() {
  const names = usePerson()?.waiting.map(({ name }) => name) ?? [];
  if (names.length === 0) return null;
  return (
    <p class="note">
      {texts.waits(names)} {texts.open}
    </p>
  );
}
