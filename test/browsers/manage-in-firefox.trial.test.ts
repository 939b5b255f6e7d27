import { filtersStory } from './filters-story.ts';
import { manageStory } from './manage-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', manageStory, filtersStory).run();
