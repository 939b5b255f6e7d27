import { namesStory } from './names-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', namesStory).run();
