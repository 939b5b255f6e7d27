import { browserSuite } from './story.ts';

browserSuite('chromium').run();
