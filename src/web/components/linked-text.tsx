import { linkedPieces } from '../format/links.ts';

/** A text that others wrote, with the addresses in it as links. */
export function LinkedText({ text }: { readonly text: string }) {
  return (
    <>
      {linkedPieces(text).map((piece) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <a key={piece.at} class="link" href={piece.href} target="_blank" rel="noopener noreferrer nofollow">
            {piece.text}
          </a>
        ),
      )}
    </>
  );
}
