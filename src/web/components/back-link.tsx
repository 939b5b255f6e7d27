import { common } from '../texts/common.ts';
import '../styles/parts.css';

/** To the inbox, from a page that shows one thing, or nothing. */
export function BackLink() {
  return (
    <p>
      <a class="link" href="/">
        {common.actions.back}
      </a>
    </p>
  );
}
