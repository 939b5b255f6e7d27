import { firstLoadStory } from './first-load-story.ts';
import { partsStory } from './parts-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', firstLoadStory, partsStory).run();
