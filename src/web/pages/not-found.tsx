import { Page } from '../components/page.tsx';
import { common } from '../texts/common.ts';

export function NotFound() {
  return (
    <Page title={common.notFound.title}>
      <p>{common.notFound.text}</p>
      <p>
        <a class="link" href="/">
          {common.actions.back}
        </a>
      </p>
    </Page>
  );
}
