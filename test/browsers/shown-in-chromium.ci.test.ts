import { notShowingStory } from './not-showing-story.ts';
import { shownStory } from './shown-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', shownStory, notShowingStory).run();
