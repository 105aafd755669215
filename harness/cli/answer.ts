import { tellError } from '../run/describe-error.ts';
import { exitCodeOf } from '../run/errors.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** What a command says on stdout: with `--json` exactly one JSON document, also when it fails. */
export class Answer {
  readonly json: boolean;
  readonly #write: (text: string) => void;
  #isGiven = false;

  constructor(json: boolean, write: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.json = json;
    this.#write = write;
  }

  get isGiven(): boolean {
    return this.#isGiven;
  }

  /** The document; for people who did not ask for JSON the text, where there is one. */
  give(document: object, text?: string): void {
    if (this.#isGiven) throw new TypeError('expected one answer on stdout, got a second');
    this.#isGiven = true;
    if (text === undefined || this.json) this.#write(`${JSON.stringify(document)}\n`);
    else this.#write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Another program has written its own one document. */
  wasGiven(): void {
    this.#isGiven = true;
  }

  /** With `--json`, the document of a failure, where no other has been given; the same is told to people on stderr by whoever calls this. */
  fail(error: unknown, exitCode: number = exitCodeOf(error)): void {
    if (!this.json || this.#isGiven) return;
    const [first = { code: null, message: '' }, ...causes] = tellError(error);
    this.give({ schemaVersion: 1, error: { code: first.code ?? codeOf(exitCode), message: first.message, because: causes.map(({ code, message }) => (code === null ? message : `${code}: ${message}`)), exitCode } });
  }
}

/** An error that nobody foresaw has no code of its own. */
function codeOf(exitCode: number): string {
  return Object.values(EXIT_CODES).find(({ code }) => code === exitCode)?.error ?? EXIT_CODES.defect.error;
}
