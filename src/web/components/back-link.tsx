import { inboxAddress, wantPlace } from '../inbox/inbox-position.ts';
import { common } from '../texts/common.ts';
import '../styles/parts.css';

/** To the inbox where it was left, from a page that shows one thing, or nothing. */
export function BackLink() {
  return (
    <p>
      <a class="link" href={inboxAddress()} onClick={wantPlace}>
        {common.actions.back}
      </a>
    </p>
  );
}
