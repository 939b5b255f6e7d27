import { inboxAddress, wantPlace } from '../inbox/inbox-position.ts';
import { common } from '../texts/common.ts';
import '../styles/parts.css';

/** Leads from a page that shows one thing, or nothing, to the place where the inbox was left. */
export function BackLink() {
  return (
    <p>
      <a class="link" href={inboxAddress()} onClick={wantPlace}>
        {common.actions.back}
      </a>
    </p>
  );
}
