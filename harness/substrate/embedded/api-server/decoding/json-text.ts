import { badRequest } from '../status-error.ts';

export interface ParsedJson {
  readonly value: unknown;
  /** Paths of object keys that occur more than once, as Kubernetes names them (`data.a`, `spec.ports[0].port`). */
  readonly duplicateFields: readonly string[];
}

const MAX_DEPTH = 1_000;

/** Parses JSON, and tells which keys came twice: JSON.parse alone silently takes the last of them. */
export function parseJson(text: string): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
  return { value, duplicateFields: findDuplicateFields(text) };
}

type Frame = { readonly path: string; keys: Set<string> | null; key: string; index: number };

/** Walks over text that JSON.parse has accepted. */
function findDuplicateFields(text: string): string[] {
  const duplicates: string[] = [];
  const stack: Frame[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const frame = stack.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        if (stack.length >= MAX_DEPTH) throw badRequest(`the body is nested deeper than ${MAX_DEPTH} levels`);
        expectsKey = text[at] === '{';
        stack.push({ path: frame === undefined ? '' : pathInto(frame), keys: expectsKey ? new Set() : null, key: '', index: 0 });
        break;
      case 0x7d: // }
      case 0x5d: // ]
        stack.pop();
        expectsKey = false;
        break;
      case 0x2c: // ,
        if (frame === undefined) break;
        if (frame.keys === null) frame.index += 1;
        else expectsKey = true;
        break;
      case 0x22: {
        const end = endOfString(text, at);
        if (expectsKey && frame !== undefined && frame.keys !== null) {
          frame.key = JSON.parse(text.slice(at, end + 1)) as string;
          if (frame.key === '__proto__') throw badRequest('a field must not be named "__proto__"');
          if (frame.keys.has(frame.key)) duplicates.push(pathInto(frame));
          frame.keys.add(frame.key);
          expectsKey = false;
        }
        at = end;
        break;
      }
    }
  }
  return duplicates;
}

function pathInto(frame: Frame): string {
  if (frame.keys === null) return `${frame.path}[${frame.index}]`;
  return frame.path === '' ? frame.key : `${frame.path}.${frame.key}`;
}

function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
