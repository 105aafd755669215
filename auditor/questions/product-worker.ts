import { distinct, fixedValues, podsOfItsOwn, type Question } from './question.ts';

/** Did three production Pods have three sessions, each online alone, and drain in order? */
export const productWorker: Question = (report) => {
  const { productionWorker: product } = report;
  const { generations, registerAudits, transitionAudits, heartbeatAudits, observationCount } = product;
  return [
    ...fixedValues(report, 'productionWorker'),
    ...podsOfItsOwn(report, 'productionWorker'),
    distinct('productionWorker.sessionIds', product.sessionIds),
    generations.every((generation, index) => index === 0 || generation > (generations[index - 1] as number)) ? null : `productionWorker.generations: expected them to rise, got ${generations.join(', ')}`,
    product.workerImageId === product.controlImageId ? 'productionWorker: expected two images for Worker and Control, got one' : null,
    // every accepted request is audited before it changes a session, so there cannot be more changes than audits
    observationCount > registerAudits + transitionAudits + heartbeatAudits ? 'productionWorker.observationCount: expected no more session changes than audited requests' : null,
    new Set(product.nodeNames).size === 1 ? null : 'productionWorker.nodeNames: expected the one node of the cluster, three times',
  ];
};
