/** Works through the items with so many hands at a time; each hand keeps what it was given at the start. After a failure nothing new is begun, and what was begun is waited for. */
export async function workThrough<T, H>(items: readonly T[], hands: readonly H[], work: (item: T, hand: H) => Promise<void>): Promise<void> {
  const queue = [...items];
  const ends = await Promise.allSettled(
    hands.map(async (hand) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
        try {
          await work(item, hand);
        } catch (error) {
          queue.length = 0;
          throw error;
        }
      }
    }),
  );
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
