import type { CoreV1Event } from '@kubernetes/client-node';
import type { ApiObject } from '../../api-object.ts';
import { ageOf } from '../../printing/age.ts';
import { text } from '../../printing/common-columns.ts';
import { invalid } from '../../validation/field-error.ts';
import { defineResource } from '../define-resource.ts';

export const EVENT = defineResource({
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  model: 'CoreV1Event',
  shortNames: ['ev'],
  columns: [
    text('Last Seen', (event) => ageOf(String(eventOf(event).series?.lastObservedTime ?? eventOf(event).lastTimestamp ?? eventOf(event).eventTime ?? event.metadata.creationTimestamp))),
    text('Type', (event) => eventOf(event).type ?? ''),
    text('Reason', (event) => eventOf(event).reason ?? ''),
    text('Object', (event) => `${(eventOf(event).involvedObject.kind ?? '').toLowerCase()}/${eventOf(event).involvedObject.name ?? ''}`),
    text('Subobject', (event) => eventOf(event).involvedObject.fieldPath ?? '', 1),
    text('Source', (event) => [eventOf(event).source?.component, eventOf(event).source?.host].filter(Boolean).join(', '), 1),
    text('Message', (event) => (eventOf(event).message ?? '').trim()),
    text('First Seen', (event) => ageOf(String(eventOf(event).firstTimestamp ?? eventOf(event).eventTime ?? event.metadata.creationTimestamp)), 1),
    text('Count', (event) => String(eventOf(event).count ?? 1), 1),
    text('Name', (event) => event.metadata.name ?? '', 1),
  ],
  strategy: {
    setDefaults: (draft) => {
      draft['involvedObject'] ??= {};
      draft['source'] ??= {};
    },
    validate: (event) => {
      const { namespace } = eventOf(event).involvedObject;
      return (namespace ?? 'default') === event.metadata.namespace ? [] : [invalid('involvedObject.namespace', namespace ?? '', 'does not match event.namespace')];
    },
    selectableFields: (event) => {
      const { involvedObject, reason, type, source } = eventOf(event);
      return {
        'involvedObject.kind': involvedObject?.kind ?? '',
        'involvedObject.namespace': involvedObject?.namespace ?? '',
        'involvedObject.name': involvedObject?.name ?? '',
        'involvedObject.uid': involvedObject?.uid ?? '',
        'involvedObject.apiVersion': involvedObject?.apiVersion ?? '',
        'involvedObject.resourceVersion': involvedObject?.resourceVersion ?? '',
        'involvedObject.fieldPath': involvedObject?.fieldPath ?? '',
        reason: reason ?? '',
        reportingComponent: (event['reportingComponent'] as string | undefined) ?? '',
        source: source?.component ?? '',
        type: type ?? '',
      };
    },
  },
});

function eventOf(event: ApiObject): CoreV1Event {
  return event as unknown as CoreV1Event;
}
