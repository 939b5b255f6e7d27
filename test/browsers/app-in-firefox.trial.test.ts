import { APP_STORIES } from './app-stories.ts';
import { browserSuite } from './story.ts';

browserSuite('firefox', ...APP_STORIES).run();
