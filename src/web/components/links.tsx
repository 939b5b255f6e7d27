import { inboxAddress, wantPlace } from '../list-place.ts';
import { common } from '../texts/common.ts';

/** Leads from a single thing, or nothing, back to the inbox as left. */
export function BackLink() {
  return (
    <p>
      <a class="link" href={inboxAddress()} onClick={wantPlace}>
        {common.actions.back}
      </a>
    </p>
  );
}

interface Props {
  readonly href: string;
  readonly children: string;
}

export function Onward({ href, children }: Props) {
  return (
    <p class="onward">
      <a class="link" href={href}>
        {children}
      </a>
    </p>
  );
}
