import { onCallStory } from './on-call-story.ts';
import { rotasStory } from './rotas-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', rotasStory, onCallStory).run();
