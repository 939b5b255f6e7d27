import { shownStory } from './shown-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', shownStory).run();
