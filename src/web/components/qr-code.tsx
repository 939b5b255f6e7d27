import './qr-code.css';
import { useEffect, useState } from 'preact/hooks';
import { outlineOf } from './qr-outline.ts';

interface Props {
  readonly text: string;
  readonly label: string;
}

/** Dark on light in either scheme, as cameras expect it. What makes it is loaded when one is shown. */
export function QrCode({ text, label }: Props) {
  const [modules, setModules] = useState<readonly (readonly boolean[])[] | null>(null);
  useEffect(() => {
    void import('uqr').then(({ encode }) => setModules(encode(text, { ecc: 'M', border: 4 }).data));
  }, [text]);
  const size = modules?.length ?? 1;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      {modules !== null && <path d={outlineOf(modules)} />}
    </svg>
  );
}
