import { providerStory } from './provider-story.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', providerStory).run();
