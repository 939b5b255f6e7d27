import { useEffect, useState } from 'preact/hooks';
import { outlineOf } from './qr-outline.ts';

interface Props {
  readonly text: string;
  readonly label: string;
}

/** Draws dark on light in either scheme, for cameras. Its code loads on demand; if that fails, the text remains. */
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
