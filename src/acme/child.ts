import { type Challenge, type OrderJob, order } from './order.ts';

/** Orders one certificate: a job in, an outcome out. Ends also with its parent. */
process.once('message', async (job: OrderJob) => {
  const outcome = await order(job, shown);
  process.send?.({ outcome }, () => process.disconnect());
});
process.once('disconnect', () => process.exit());

/** The parent answers once its server shows it. */
function shown(challenge: Challenge): Promise<void> {
  return new Promise((resolve) => {
    process.once('message', () => resolve());
    process.send?.({ challenge });
  });
}
