import { usePerson } from '../session.ts';
import { waiting as texts } from '../texts/common.ts';

/** Names workspaces for which this session needs an invitation link. */
export function WaitingNote() {
  const names = usePerson()?.waiting.map(({ name }) => name) ?? [];
  if (names.length === 0) return null;
  return (
    <p class="note">
      {texts.waits(names)} {texts.open}
    </p>
  );
}
