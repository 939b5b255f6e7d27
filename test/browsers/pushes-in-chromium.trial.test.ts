import { pushStory } from './push-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', pushStory).run();
