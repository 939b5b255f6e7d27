import { APP_STORIES } from './app-stories.ts';
import { browserSuite } from './story.ts';

browserSuite('chromium', ...APP_STORIES).run();
