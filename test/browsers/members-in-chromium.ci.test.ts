import { dialogsStory } from './dialogs-story.ts';
import { invitationStory } from './invitation-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', invitationStory, dialogsStory).run();
