import { rotasStory } from './rotas-story.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', rotasStory).run();
