// Runs in a Pod: asks PostgreSQL for TLS (its protocol, section "SSL Session Encryption"), verifies the certificate, and prints what it saw.
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';

const [host, port, ca] = process.argv.slice(1);
const WITHIN_MS = 15_000;
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

const tell = (line, exitCode) => {
  process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(exitCode));
};
const fail = (error) => tell({ event: 'database_unreachable', code: error.code ?? null, message: error.message }, 1);

const socket = connectTcp({ host, port: Number(port), timeout: WITHIN_MS });
socket.once('error', fail);
socket.once('timeout', () => fail(new Error(`no answer within ${WITHIN_MS} ms`)));
socket.once('connect', () => socket.write(SSL_REQUEST));
socket.once('data', (answer) => {
  if (answer.toString('latin1') !== 'S') return fail(new Error('the server does not offer TLS'));
  const secured = connectTls({ socket, host, ca, rejectUnauthorized: true, minVersion: 'TLSv1.2' });
  secured.once('error', fail);
  secured.once('secureConnect', () => tell({ event: 'database_reached', protocol: secured.getProtocol(), fingerprint: secured.getPeerCertificate().fingerprint256 }, 0));
});
