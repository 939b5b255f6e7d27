import '../styles/parts.css';

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
