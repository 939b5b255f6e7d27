import { READING_STORIES } from './reading-stories.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', ...READING_STORIES).run();
