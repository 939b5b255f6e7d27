interface Props {
  readonly text: string;
  readonly class?: 'primary' | 'danger' | 'quiet' | undefined;
  /** The name for screen readers, if the text alone does not say what it acts on. */
  readonly named?: string;
  /** Whether its call runs, or it must wait. It stays focusable. */
  readonly isWorking?: boolean;
  readonly onClick: () => unknown;
}

/** A button that acts; buttons that send forms are `submit` buttons. */
export function Button({ text, class: style, named, isWorking, onClick }: Props) {
  return (
    <button type="button" class={style} aria-label={named} aria-disabled={isWorking} onClick={() => void onClick()}>
      {text}
    </button>
  );
}
