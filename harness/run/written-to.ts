/** Does what writes to a path. A system error of that, which may name no file or a temporary one, is told with the path; it stays the cause. */
export async function writtenTo<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw Object.assign(new Error(`${path} could not be written: ${error.message}`, { cause: error }), { path });
  }
}
