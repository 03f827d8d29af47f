// BullMQ on the Redis behind a socket: each line of standard input is a number of tasks that do nothing, each of them a job for each role
// that takes it over: a Worker, which queues the result for a Judge, who queues what is to leave for a Publisher. The answer is how many
// seconds they took, from the first enqueue to the last one out. Ends with its input.
//
//     node bullmq.mjs SOCKET JOBS_AT_ONCE
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const { Queue, Worker } = createRequire(`${process.env.QUEUES_HOME}/`)('bullmq');

const [socket, atOnce] = process.argv.slice(2);
const options = { connection: { path: socket, maxRetriesPerRequest: null }, concurrency: Number(atOnce) };
const BATCH = 500;
// As long as our messages.
const TASK = 't'.repeat(560);
const RESULT = 'r'.repeat(330);

const tasks = new Queue('tasks', options);
const results = new Queue('results', options);
const posts = new Queue('posts', options);
const worker = new Worker('tasks', async (job) => results.add('judge', { task_id: job.data.task_id, result: RESULT }), options);
const judge = new Worker('results', async (job) => posts.add('publish', { task_id: job.data.task_id, decision: 'approve' }), options);
const publisher = new Worker('posts', async (job) => ({ task_id: job.data.task_id, status: 'dry_run' }), options);
let left = 0;
let done = () => {};
publisher.on('completed', () => {
  left -= 1;
  if (left === 0) done();
});
for (const role of [worker, judge, publisher]) {
  role.on('error', (error) => {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  });
  await role.waitUntilReady();
}

for await (const line of createInterface({ input: process.stdin })) {
  const count = Number(line);
  left = count;
  const all = new Promise((resolve) => (done = resolve));
  const started = performance.now();
  for (let first = 0; first < count; first += BATCH) {
    const length = Math.min(BATCH, count - first);
    await tasks.addBulk(Array.from({ length }, (_, at) => ({ name: 'work', data: { task_id: `${first + at}`, context: TASK } })));
  }
  await all;
  process.stdout.write(`${(performance.now() - started) / 1000}\n`);
}
await Promise.all([worker, judge, publisher, tasks, results, posts].map((part) => part.close()));
