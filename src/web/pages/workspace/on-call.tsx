import { Page } from '../../components/page.tsx';
import { managed } from '../../manage/managed.tsx';
import { rotas as texts } from '../../texts/channels.ts';
import { Rotas } from '../on-call.tsx';

/** Shows a workspace's rotas to its owners and admins. Everybody's page is `/on-call`. */
export default managed(({ workspace }) => (
  <Page title={texts.title}>
    <p class="about">{texts.about}</p>
    <Rotas workspace={workspace} />
  </Page>
));
