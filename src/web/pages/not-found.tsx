import { BackLink } from '../components/links.tsx';
import { Page } from '../components/page.tsx';
import { notFound as texts } from '../texts/common.ts';

export default function NotFound() {
  return (
    <Page title={texts.title}>
      <p>{texts.text}</p>
      <BackLink />
    </Page>
  );
}
