import { usePerson } from '../session.ts';
import { texts } from '../texts/waiting.ts';

/** Names the user's workspaces in which this session has no rights until it opens an invitation link of theirs. */
export function WaitingNote() {
  const names = usePerson()?.waiting.map(({ name }) => name) ?? [];
  if (names.length === 0) return null;
  return (
    <p class="note">
      {texts.waits(names)} {texts.open}
    </p>
  );
}
