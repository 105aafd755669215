import type { EngineMessage } from './engine-messages.ts';

const MEBIBYTE = 1024 * 1024;

/** How far a pull has come, over all of its layers: those that are whole, and the bytes of the others. */
export class PullProgress {
  readonly #layers = new Map<string, { current: number; total: number; isDone: boolean }>();
  #status = '';

  /** Takes a message in, and gives the whole in words. */
  hear({ id, status = '', progressDetail }: EngineMessage): string {
    if (id === undefined || /^(Pulling from|Digest|Status)/.test(status)) this.#status = status;
    else this.#hearLayer(id, status, progressDetail);
    if (this.#layers.size === 0) return this.#status;
    const layers = [...this.#layers.values()];
    const sum = (key: 'current' | 'total'): string => (layers.reduce((bytes, layer) => bytes + layer[key], 0) / MEBIBYTE).toFixed(1);
    return `${layers.filter(({ isDone }) => isDone).length} of ${layers.length} layers, ${sum('current')} of ${sum('total')} MiB`;
  }

  #hearLayer(id: string, status: string, { current, total }: { readonly current?: number; readonly total?: number } = {}): void {
    const layer = this.#layers.get(id) ?? { current: 0, total: 0, isDone: false };
    this.#layers.set(id, layer);
    if (status === 'Downloading') {
      layer.current = current ?? layer.current;
      layer.total = Math.max(layer.total, total ?? layer.current);
    }
    if (status === 'Download complete' || status === 'Pull complete' || status === 'Already exists') layer.current = layer.total;
    if (status === 'Pull complete' || status === 'Already exists') layer.isDone = true;
  }
}
