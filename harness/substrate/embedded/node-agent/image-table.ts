import { chmod, cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What stands for a container image on this node. */
export interface NodeImage {
  /** A folder laid out as the image's root: `app/worker.mjs` is `/app/worker.mjs` in a container. */
  readonly rootDirectory: string;
  readonly entrypoint: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `sha256:…`, reported as imageID. */
  readonly imageId: string;
}

/** The images that containers may be started from. Pods see a copy that nobody changes later. */
export class ImageTable {
  readonly #directory: string;
  readonly #images = new Map<string, NodeImage>();
  readonly #unpacked = new Map<string, Promise<string>>();
  #changed = Promise.withResolvers<void>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  register(images: Readonly<Record<string, NodeImage>>): void {
    for (const [name, image] of Object.entries(images)) this.#images.set(canonicalName(name), image);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  find(name: string): NodeImage | undefined {
    return this.#images.get(canonicalName(name));
  }

  /** Resolves when images are registered next. */
  changed(): Promise<void> {
    return this.#changed.promise;
  }

  all(): { name: string; image: NodeImage }[] {
    return [...this.#images].map(([name, image]) => ({ name, image }));
  }

  /** The root folder of the image, readable for every user. */
  async unpack(image: NodeImage): Promise<string> {
    const key = `${image.imageId}\0${image.rootDirectory}`;
    const known = this.#unpacked.get(key);
    if (known !== undefined) return known;
    const unpacked = this.#copy(image, join(this.#directory, String(this.#unpacked.size)));
    this.#unpacked.set(key, unpacked);
    return unpacked;
  }

  async #copy(image: NodeImage, target: string): Promise<string> {
    await mkdir(this.#directory, { recursive: true, mode: 0o755 });
    await cp(image.rootDirectory, target, { recursive: true });
    await makeReadable(target);
    return target;
  }
}

async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, 0o644);
  }
}

/** `app:1`, `library/app:1` and `docker.io/library/app:1` are one image, as the container runtime sees them. */
function canonicalName(name: string): string {
  const [first = '', ...rest] = name.split('/');
  const hasRegistry = rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost');
  const path = hasRegistry ? name : `docker.io/${rest.length === 0 ? 'library/' : ''}${name}`;
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@') ? path : `${path}:latest`;
}
