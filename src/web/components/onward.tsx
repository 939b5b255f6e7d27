import '../styles/parts.css';

interface Props {
  readonly href: string;
  readonly children: string;
}

/** Below what is shown: where to go from it. */
export function Onward({ href, children }: Props) {
  return (
    <p class="onward">
      <a class="link" href={href}>
        {children}
      </a>
    </p>
  );
}
