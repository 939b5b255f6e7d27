import './qr-code.css';
import { useEffect, useState } from 'preact/hooks';
import { outlineOf } from './qr-outline.ts';

interface Props {
  readonly text: string;
  readonly label: string;
}

/**
 * Dark on light in either scheme, as cameras expect it. What makes it is loaded when one is shown; where that cannot be
 * had, the text beside it does.
 */
export function QrCode({ text, label }: Props) {
  const [modules, setModules] = useState<readonly (readonly boolean[])[] | null>(null);
  useEffect(() => {
    const draw = async (): Promise<void> => {
      const drawing = await import('uqr').catch(() => null);
      setModules(drawing?.encode(text, { ecc: 'M', border: 4 }).data ?? null);
    };
    void draw();
  }, [text]);
  const size = modules?.length ?? 1;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      {modules !== null && <path d={outlineOf(modules)} />}
    </svg>
  );
}
