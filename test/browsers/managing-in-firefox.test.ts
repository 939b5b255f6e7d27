import { dialogsStory } from './dialogs-story.ts';
import { manageStory } from './manage-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', manageStory, dialogsStory).run();
