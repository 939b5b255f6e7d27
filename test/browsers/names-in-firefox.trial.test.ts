import { namesStory } from './names-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', namesStory).run();
