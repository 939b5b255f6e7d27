import { READING_STORIES } from './reading-stories.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', ...READING_STORIES).run();
