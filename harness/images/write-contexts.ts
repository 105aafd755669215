/** Writes the build context of each product image, `FOLDER/{worker,control,admin}`, for whoever builds them with `docker build`. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleImages } from './bundle-images.ts';
import { COMPONENTS } from './components.ts';
import { prepareContext } from './image-context.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [folder, ...rest] = process.argv.slice(2);

if (folder === undefined || rest.length > 0) {
  process.stderr.write('usage: node harness/images/write-contexts.ts FOLDER\nFOLDER must not exist; it gets worker/, control/ and admin/, each a context for docker build.\n');
  process.exitCode = 2;
} else if (await isMade(resolve(folder))) {
  await writeContexts(resolve(folder));
}

/** What is there may be somebody's: it is neither added to nor replaced. */
async function isMade(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { mode: 0o755 });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const expected = { EEXIST: 'a FOLDER that does not exist yet; remove this one, or name another', ENOENT: 'a FOLDER in one that exists; make that first', ENOTDIR: 'a FOLDER in a folder, not in a file' }[code ?? ''] ?? `to be able to make FOLDER: ${message}`;
    process.stderr.write(`QL3_USAGE: expected ${expected}: got ${directory}\n`);
    process.exitCode = 2;
    return false;
  }
}

async function writeContexts(directory: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  try {
    const { bundles } = await bundleImages(root, directory, AbortSignal.timeout(120_000));
    for (const { component, rootDirectory, contentId } of Object.values(bundles)) {
      const { repository, folder: source } = COMPONENTS[component];
      await prepareContext(rootDirectory, join(root, source, 'Dockerfile'));
      process.stdout.write(`${rootDirectory}\t${repository}:${version}\t${contentId}\n`);
    }
  } catch (error) {
    await rm(directory, { recursive: true });
    throw error;
  }
}
