// Loaded into every Node process of a Pod before its own code (node --require): plain JavaScript, so that a start
// costs no type stripping, and self-contained, because it is copied to where the Pod's user may read it.
'use strict';

const dns = require('node:dns');
const { readFileSync } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { Socket } = require('node:net');
const { promisify } = require('node:util');

becomeContainerUser();
endWithTheNode();
resolveServiceNames();

/** The container's user and groups (securityContext). Node's spawn cannot set supplementary groups, this can. */
function becomeContainerUser() {
  const identity = process.env.QL3_EMBEDDED_RUN_AS;
  delete process.env.QL3_EMBEDDED_RUN_AS;
  if (identity === undefined || process.getuid() !== 0) return;
  const [uid, gid, ...groups] = identity.split(',').map(Number);
  process.setgroups(groups);
  process.setgid(gid);
  process.setuid(uid);
}

/** The other end of this pipe is the node agent's. When that is gone, nobody would ever end this process group. */
function endWithTheNode() {
  const descriptor = process.env.QL3_EMBEDDED_NODE_PIPE;
  delete process.env.QL3_EMBEDDED_NODE_PIPE;
  if (descriptor === undefined) return;
  const pipe = new Socket({ fd: Number(descriptor), readable: true, writable: false });
  const end = () => process.kill(0, 'SIGKILL');
  pipe.on('error', end).on('close', end).resume().unref();
}

/** Cluster names are answered from the node's hosts file, which changes as Pods become ready; all others by the system. */
function resolveServiceNames() {
  const hostsFile = process.env.QL3_EMBEDDED_HOSTS_FILE;
  if (hostsFile === undefined) return;
  const systemLookup = dns.lookup;
  const systemLookupPromise = dns.promises.lookup;

  dns.lookup = function lookup(hostname, options, callback) {
    const done = typeof options === 'function' ? options : callback;
    const addresses = clusterAddresses(hostsFile, hostname);
    if (addresses === null || typeof done !== 'function') return systemLookup.call(this, hostname, options, callback);
    const { all = false } = typeof options === 'object' && options !== null ? options : {};
    process.nextTick(() => {
      if (addresses.length === 0) done(notFound(hostname));
      else if (all) done(null, addresses.map((address) => ({ address, family: 4 })));
      else done(null, addresses[0], 4);
    });
    return {};
  };
  dns.promises.lookup = async function lookup(hostname, options) {
    const addresses = clusterAddresses(hostsFile, hostname);
    if (addresses === null) return systemLookupPromise.call(this, hostname, options);
    if (addresses.length === 0) throw notFound(hostname);
    const answers = addresses.map((address) => ({ address, family: 4 }));
    return typeof options === 'object' && options?.all ? answers : answers[0];
  };
  dns.lookup[promisify.custom] = dns.promises.lookup;
  syncBuiltinESMExports();
}

/** Null for a name that is not the cluster's business. */
function clusterAddresses(hostsFile, hostname) {
  if (typeof hostname !== 'string') return null;
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const hosts = JSON.parse(readFileSync(hostsFile, 'utf8'));
  if (Object.hasOwn(hosts, name)) return hosts[name];
  return /\.(svc|cluster\.local)$/.test(name) ? [] : null;
}

function notFound(hostname) {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname });
}
