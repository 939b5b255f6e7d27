import { shownStory } from './shown-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', shownStory).run();
