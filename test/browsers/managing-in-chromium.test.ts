import { manageStory } from './manage-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', manageStory).run();
