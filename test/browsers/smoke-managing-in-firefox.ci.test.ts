import { channelsStory } from './channels-story.ts';
import { heartbeatsStory } from './heartbeats-story.ts';
import { manageStory } from './manage-story.ts';
import { offlineStory } from './offline-story.ts';
import { smokeSuite } from './story.ts';
import { tabsStory } from './tabs-story.ts';

smokeSuite('firefox', manageStory, channelsStory, heartbeatsStory, offlineStory, tabsStory).run();
