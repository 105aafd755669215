import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { renderPicture } from '../files.ts';
import { Chromium, findChromium } from '../testing/chromium.ts';
import { brokenOff, recorded } from '../testing/recorded.ts';
import { renderPage } from './page.ts';

const program = findChromium();
const SCREENS = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;
const LEAST_CONTRAST = 4.5;
/** What the recorded picture looks like: for each of 32 times 32 places whether it is lighter than the next one. Another font changes a few. */
const SEEN = readFileSync(new URL('../testing/picture-look.txt', import.meta.url), 'utf8').trim();
const MOST_DIFFERING_BITS = 100;

describe('the page in a real Chromium', { timeout: 900_000, skip: program === null ? 'no Chromium on this machine: apt-get install chromium' : false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ql3-page-'));
  const explained = recorded();
  const page = pathToFileURL(join(folder, 'page.html')).href;
  const failed = pathToFileURL(join(folder, 'failed.html')).href;
  const picture = pathToFileURL(join(folder, 'picture.svg')).href;
  let browser: Chromium;
  before(async () => {
    writeFileSync(join(folder, 'page.html'), renderPage(explained));
    writeFileSync(join(folder, 'failed.html'), renderPage(brokenOff()));
    writeFileSync(join(folder, 'picture.svg'), renderPicture(explained));
    browser = await Chromium.start(program ?? '');
  });
  after(async () => {
    await browser?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, screen] of Object.entries(SCREENS)) {
    for (const scheme of ['light', 'dark'] as const) {
      it(`loads nothing, complains of nothing, fits and can be read on a ${name}, ${scheme}`, async () => {
        const { requests, complaints } = await browser.show(page, { ...screen, scheme });
        assert.deepEqual([requests, complaints], [[page], []]);
        assert.ok((await browser.evaluate<number>('document.documentElement.scrollWidth')) <= screen.width);
        assert.deepEqual(await browser.evaluate(LOW_CONTRAST), [], `every text has a contrast of at least ${LEAST_CONTRAST}`);
      });
    }
  }

  for (const width of [320, 390]) {
    it(`breaks no name within a word of it, ${width} wide, and has no small print beside the picture`, async () => {
      await browser.show(page, { width, height: 844 });
      await browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
      assert.deepEqual(await browser.evaluate(BROKEN), []);
      assert.deepEqual(await browser.evaluate(SMALL), []);
      assert.ok((await browser.evaluate<number>('document.documentElement.scrollWidth')) <= width);
    });
  }

  for (const width of [1400, 1200, 390]) {
    it(`of a failed run fits ${width} wide, however long its lines are; numbers stay in one line, and at most the picture is moved sideways`, async () => {
      await browser.show(failed, { width, height: 900 });
      assert.ok((await browser.evaluate<number>('document.documentElement.scrollWidth')) <= width);
      assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('.chips .num')].filter((each) => each.getBoundingClientRect().height > 30).map((each) => each.textContent)"), []);
      assert.equal(await browser.evaluate("[...document.querySelectorAll('*')].filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === 'auto').length"), width < 1000 ? 1 : 0);
      assert.deepEqual(await browser.evaluate(LOW_CONTRAST), []);
      assert.deepEqual(await browser.evaluate(OVERLAPS), []);
      assert.deepEqual(await browser.evaluate(OUTSIDE), []);
    });
  }

  it('has a dark and a light face', async () => {
    const background = async (scheme: 'light' | 'dark'): Promise<string> => {
      await browser.show(page, { ...SCREENS.desktop, scheme });
      return await browser.evaluate('getComputedStyle(document.body).backgroundColor');
    };
    assert.notEqual(await background('light'), await background('dark'));
  });

  for (const [what, url] of [['page', page], ['picture alone', picture]] as const) {
    it(`the ${what} shows every lane, step, credential and Pod of the run, and no text of it lies on another or leaves it`, async () => {
      await browser.show(url, { width: 1400, height: 900 });
      assert.deepEqual(await browser.evaluate(OVERLAPS), []);
      assert.deepEqual(await browser.evaluate(OUTSIDE), []);
      const shown = await browser.evaluate<string>('document.documentElement.textContent');
      const { lanes, steps } = explained.timeline ?? { lanes: [], steps: [] };
      const wanted = [...lanes.map(({ title }) => title), ...steps.map(({ title }) => title), ...lanes.flatMap(({ rows }) => rows.flat()).map(({ words }) => words)];
      assert.ok(lanes.length >= 10 && wanted.length > 100);
      assert.deepEqual(wanted.filter((each) => !shown.includes(each)), []);
    });
  }

  it('the picture looks as it was when somebody last looked at it', async () => {
    await browser.show(picture, { width: 1180, height: 900 });
    const { data } = await browser.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip: { x: 0, y: 0, width: 1180, height: 1700, scale: 0.5 } });
    await browser.show('about:blank', { width: 100, height: 100 });
    const seen = await browser.evaluate<string>(hashOf(data as string));
    const differing = [...seen].filter((bit, index) => bit !== SEEN[index]).length;
    assert.ok(differing <= MOST_DIFFERING_BITS, `expected at most ${MOST_DIFFERING_BITS} of ${SEEN.length} bits to differ, got ${differing}; when the new look is meant, store ${seen}`);
  });

  it('the names of the lanes stay in sight when a phone moves time along', async () => {
    await browser.show(page, SCREENS.phone);
    const leftOf = (selector: string): string => `Math.round(document.querySelector('${selector}').getBoundingClientRect().left)`;
    const [gutter, plot] = [await browser.evaluate<number>(leftOf('.gutter')), await browser.evaluate<number>(leftOf('.plot'))];
    await browser.evaluate("document.querySelector('.scroll').scrollLeft = 300");
    assert.deepEqual([await browser.evaluate(leftOf('.gutter')), await browser.evaluate(leftOf('.plot'))], [gutter, plot - 300]);
  });

  it('a gate leads to its marks, and they stand out', async () => {
    await browser.show(`${page}#marks-3`, SCREENS.desktop);
    const opacity = (number: number): string => `getComputedStyle(document.querySelector('.proof.g${number}:not(.g3)') ?? document.querySelector('.proof.g${number}')).opacity`;
    assert.equal(await browser.evaluate(opacity(3)), '1');
    assert.ok(Number(await browser.evaluate<string>(opacity(8))) < 1);
    assert.ok(await browser.evaluate<boolean>("(() => { const { top } = document.getElementById('marks-3').getBoundingClientRect(); return top >= 0 && top < innerHeight; })()"));
  });

  it('is walked through by the keyboard: first past the heading, then into everything that can be followed', async () => {
    await browser.show(page, SCREENS.desktop);
    const focused: string[] = [];
    for (let press = 0; press < 3; press += 1) {
      await browser.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
      await browser.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
      focused.push(await browser.evaluate('document.activeElement.getAttribute("href")'));
    }
    assert.deepEqual(focused, ['#main', '#gate-1', '#gate-2']);
    assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')).filter((href) => !href.startsWith('#') || document.getElementById(href.slice(1)) === null)"), []);
    assert.deepEqual(await browser.evaluate("(() => { const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id); return ids.filter((id, index) => ids.indexOf(id) !== index); })()"), []);
  });

  it('prints on A4 without losing anything at the side', async () => {
    await browser.show(page, { width: 703, height: 1000, media: 'print', scheme: 'dark' });
    assert.ok((await browser.evaluate<number>('document.documentElement.scrollWidth')) <= 703);
    assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth + 1).length"), 0);
    assert.equal(await browser.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)');
  });
});

/** Words that begin in one line and end in another. A digest has nowhere else to break. */
const BROKEN = `(() => {
  const found = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.closest('svg, style') !== null) continue;
    for (const { 0: word, index } of node.data.matchAll(/\\w{2,}/g)) {
      if (/^[0-9a-f]{32,}$/.test(word)) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word);
    }
  }
  return found;
})()`;

/** Words of the page that are much smaller than the rest: what the legend says too. */
const SMALL = `[...document.querySelectorAll('body *:not(svg *):not(style)')].filter((node) => [...node.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')).concat([...document.querySelectorAll('.legend text')]).filter((node) => parseFloat(getComputedStyle(node).fontSize) * Math.min(1, node.getScreenCTM?.()?.a ?? 1) < 13).map((node) => node.textContent.slice(0, 40))`;

/** Texts of the picture whose boxes share more than a hair. */
const OVERLAPS = `(() => {
  const texts = [...document.querySelectorAll('svg text')].map((node) => ({ text: node.textContent, box: node.getBoundingClientRect(), svg: node.ownerSVGElement, isBadge: node.classList.contains('bt') })).filter(({ box }) => box.width > 0);
  const found = [];
  texts.forEach((left, index) => {
    for (const right of texts.slice(index + 1)) {
      if (left.svg !== right.svg) continue;
      const width = Math.min(left.box.right, right.box.right) - Math.max(left.box.left, right.box.left);
      const height = Math.min(left.box.bottom, right.box.bottom) - Math.max(left.box.top, right.box.top);
      if (width > 1 && height > 5) found.push([left.text, right.text, Math.round(width), Math.round(height)]);
    }
  });
  return found;
})()`;

const OUTSIDE = `[...document.querySelectorAll('svg text')].filter((node) => { const [text, svg] = [node.getBoundingClientRect(), node.ownerSVGElement.getBoundingClientRect()]; return text.left < svg.left - 1 || text.right > svg.right + 1 || text.top < svg.top - 1 || text.bottom > svg.bottom + 1; }).map((node) => node.textContent)`;

/** Texts against what is painted under them: in the page the nearest background, in the picture the box of their mark or the ground. */
const LOW_CONTRAST = `(() => {
  const parse = (colour) => (/rgba?\\(([^)]+)\\)/.exec(colour)?.[1] ?? '0,0,0,0').split(',').map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, index) => sum + v * [0.2126, 0.7152, 0.0722][index], 0);
  const ratio = (one, other) => { const [low, high] = [light(parse(one)), light(parse(other))].sort((l, r) => l - r); return (high + 0.05) / (low + 0.05); };
  const isSeen = (node) => { const { width, height, left } = node.getBoundingClientRect(); return width > 0 && height > 0 && left > -1000; };
  const behind = (node) => { for (let at = node; at !== null; at = at.parentElement) { const { backgroundColor } = getComputedStyle(at); if ((parse(backgroundColor)[3] ?? 1) > 0) return backgroundColor; } return 'rgb(255, 255, 255)'; };
  const inPage = [...document.querySelectorAll('body *:not(svg *)')].filter((node) => [...node.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '')).filter(isSeen).map((node) => [node.textContent.slice(0, 40), getComputedStyle(node).color, behind(node)]);
  const ground = getComputedStyle(document.querySelector('.pic .bg')).fill;
  const under = (node) => node.classList.contains('bt') ? getComputedStyle(node.previousElementSibling).fill : node.classList.contains('sq') || node.classList.contains('mid') ? getComputedStyle(node.previousElementSibling).fill : node.classList.contains('in') && !node.classList.contains('wait') ? getComputedStyle(document.querySelector('.mark.' + node.parentElement.classList[1] + ' .box:not(.wait)')).fill : ground;
  const inPicture = [...document.querySelectorAll('svg text')].map((node) => [node.textContent, getComputedStyle(node).fill, under(node)]);
  return [...inPage, ...inPicture].map(([text, ink, paper]) => [text, ink, paper, Math.round(ratio(ink, paper) * 100) / 100]).filter(([, , , contrast]) => contrast < ${LEAST_CONTRAST}).slice(0, 10);
})()`;

function hashOf(png: string): string {
  return `(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png}';
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 33, height: 32 });
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, 33, 32);
    const { data } = context.getImageData(0, 0, 33, 32);
    const light = (x, y) => data[(y * 33 + x) * 4] * 0.3 + data[(y * 33 + x) * 4 + 1] * 0.6 + data[(y * 33 + x) * 4 + 2] * 0.1;
    let bits = '';
    for (let y = 0; y < 32; y += 1) for (let x = 0; x < 32; x += 1) bits += light(x, y) > light(x + 1, y) ? '1' : '0';
    return bits;
  })()`;
}
