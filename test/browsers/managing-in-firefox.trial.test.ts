import { dialogsStory } from './dialogs-story.ts';
import { filtersStory } from './filters-story.ts';
import { heartbeatsStory } from './heartbeats-story.ts';
import { invitationStory } from './invitation-story.ts';
import { manageStory } from './manage-story.ts';
import { manyChannelsStory } from './many-channels-story.ts';
import { manyThingsStory } from './many-things-story.ts';
import { quietHoursStory } from './quiet-hours-story.ts';
import { browserSuite } from './story.ts';

browserSuite(
  'firefox',
  manageStory,
  dialogsStory,
  manyChannelsStory,
  manyThingsStory,
  filtersStory,
  invitationStory,
  heartbeatsStory,
  quietHoursStory,
).run();
