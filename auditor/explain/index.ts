/** What a command needs: evidence in, words and pictures out. */
export { InputError } from '../input/read-file.ts';
export { explain } from './explain.ts';
export { NothingToDraw, writePage, writePicture } from './files.ts';
export { renderText } from './render-text.ts';
