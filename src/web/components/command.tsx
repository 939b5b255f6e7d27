import { useState } from 'preact/hooks';
import { common } from '../texts/common.ts';
import { Button } from './button.tsx';

export function Command({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div class="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide command is scrolled by keyboard, too */}
      <pre tabIndex={0}>{text}</pre>
      <Button text={isCopied ? common.actions.copied : common.actions.copy} onClick={copy} />
    </div>
  );
}
