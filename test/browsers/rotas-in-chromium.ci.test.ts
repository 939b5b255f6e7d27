import { rotasStory } from './rotas-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', rotasStory).run();
