import { randomInt } from 'node:crypto';
import type { ApiObject } from '../api-object.ts';
import { negotiate } from '../http/media-negotiation.ts';
import { isTrue } from '../http/request-info.ts';
import { parseResourceVersion } from '../operations/list-objects.ts';
import { watchObjects, type ObjectEvent } from '../operations/watch-objects.ts';
import { toPartialMetadata, toTable } from '../printing/table.ts';
import { apiVersionOf } from '../resources/resource-definition.ts';
import { ApiStatusError, badRequest, tooLargeResourceVersion } from '../status-error.ts';
import type { ResourceEndpointRequest } from './endpoint-request.ts';
import { includedObjectOf } from './included-object.ts';
import { listParameters, numberOf } from './list-parameters.ts';
import { WatchStream } from './watch-stream.ts';

const MIN_TIMEOUT_SECONDS = 1800;
const BOOKMARK_INTERVAL_MS = 60_000;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Streams changes until the client goes, the time is up, the server stops or the client cannot keep up. */
export async function serveWatch(request: ResourceEndpointRequest): Promise<void> {
  const { machinery, definition, namespace, info, user, response, audit, signal } = request;
  const representation = negotiate(request.message.headers.accept?.replaceAll(';stream=watch', ''), ['json', 'table', 'partial']);
  const { labelSelector, fieldSelector, resourceVersion = '' } = listParameters(request);
  const selectors = { ...(labelSelector === undefined ? {} : { labelSelector }), ...(fieldSelector === undefined ? {} : { fieldSelector }) };
  const bookmarks = isTrue(info.query.get('allowWatchBookmarks'));
  const initialEvents = initialEventsWanted(request, bookmarks);
  const since = resourceVersion === '' || resourceVersion === '0' ? 0 : parseResourceVersion(resourceVersion);
  if (since > machinery.store.revision) throw tooLargeResourceVersion(since, machinery.store.revision);
  const timeoutSeconds = numberOf(info.query.get('timeoutSeconds'), 'timeoutSeconds') ?? randomInt(MIN_TIMEOUT_SECONDS, 2 * MIN_TIMEOUT_SECONDS);
  const stream = new WatchStream(response);
  const represent = representer(request, representation);
  const deliver = (event: ObjectEvent): void => stream.send(event.type, event.object, represent);
  const bookmark = (annotations?: Record<string, string>): void => {
    const metadata = { resourceVersion: String(machinery.store.revision), creationTimestamp: null, ...(annotations === undefined ? {} : { annotations }) };
    stream.send('BOOKMARK', { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata: metadata as unknown as ApiObject['metadata'] }, represent);
  };
  let unsubscribe = (): void => {};
  try {
    unsubscribe = watchObjects(machinery, { definition, namespace, user: user.username }, { ...selectors, afterRevision: initialEvents || (since === 0 && initialEvents !== false) ? null : since === 0 ? machinery.store.revision : since }, deliver);
  } catch (error) {
    if (!(error instanceof ApiStatusError) || error.code !== 410) throw error;
    stream.sendError(error);
    audit.started(200);
    stream.end();
    audit.completed(200);
    return;
  }
  stream.open();
  audit.started(200);
  if (initialEvents === true && bookmarks) bookmark({ [INITIAL_EVENTS_END]: 'true' });
  const ticker = bookmarks ? setInterval(bookmark, BOOKMARK_INTERVAL_MS) : null;
  const closedByClient = await stream.untilEnd(signal, timeoutSeconds * 1000);
  if (ticker !== null) clearInterval(ticker);
  unsubscribe();
  if (closedByClient) audit.closedEarly(200);
  else audit.completed(200);
}

/** sendInitialEvents: true or false when the client said so, null when it left the old behaviour. */
function initialEventsWanted({ info }: ResourceEndpointRequest, bookmarks: boolean): boolean | null {
  const asked = info.query.get('sendInitialEvents');
  if (asked === null) return null;
  if (info.query.get('resourceVersionMatch') !== 'NotOlderThan') {
    throw badRequest('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (isTrue(asked) && !bookmarks) throw badRequest('sendInitialEvents requires allowWatchBookmarks');
  return isTrue(asked);
}

function representer(request: ResourceEndpointRequest, representation: string): (object: ApiObject) => unknown {
  if (representation === 'partial') return toPartialMetadata;
  if (representation !== 'table') return (object) => object;
  const includeObject = includedObjectOf(request);
  let first = true;
  return (object) => {
    const isBookmark = object.metadata.uid === undefined;
    const table = isBookmark
      ? { ...toTable([], request.definition, { includeObject, withoutHeaders: true, listMetadata: { resourceVersion: object.metadata.resourceVersion } }), rows: [] }
      : toTable([object], request.definition, { includeObject, withoutHeaders: !first });
    first &&= isBookmark;
    return table;
  };
}
