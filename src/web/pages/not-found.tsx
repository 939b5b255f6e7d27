import { Page } from '../components/page.tsx';
import { common } from '../texts/common.ts';
import { texts } from '../texts/not-found.ts';

export default function NotFound() {
  return (
    <Page title={texts.title}>
      <p>{texts.text}</p>
      <p>
        <a class="link" href="/">
          {common.actions.back}
        </a>
      </p>
    </Page>
  );
}
