"use strict";
// A MEW client as others write it, on the `ws` package: joins with a frame on path `/` under a name of its own making,
// fills in complete envelopes, and takes whatever begins with `#` for a chunk of a stream.

const WebSocket = require("ws");

const PATIENCE = 20000; // ms for what must come

class Client {
  constructor(name) {
    this.name = name;
    this.sent = 0;
    this.seen = []; // envelopes and {frame, binary}, in the order they came
    this.read = 0;
    this.closed = null;
    this.changed = () => {};
  }

  /** Connect; `headers` carry a token, otherwise a join frame does. */
  static async connect(url, { name, join = null, headers = {} }) {
    const client = new Client(name);
    const socket = new WebSocket(url, { headers });
    client.socket = socket;
    socket.on("message", (data, isBinary) => client.take(data, isBinary));
    socket.on("close", (code) => {
      client.closed = code;
      client.changed();
    });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    if (join) socket.send(JSON.stringify({ type: "join", ...join, participantId: name, capabilities: [] }));
    return client;
  }

  take(data, isBinary) {
    const isFrame = data.length > 0 && data[0] === "#".charCodeAt(0);
    this.seen.push(isFrame ? { frame: data.toString("latin1"), binary: isBinary } : JSON.parse(data.toString("utf8")));
    this.changed();
  }

  /** Send an envelope with all its fields; its id. */
  send(kind, payload, fields = {}) {
    this.sent += 1;
    const id = `${this.name}-${this.sent}`;
    const ts = new Date().toISOString();
    this.socket.send(JSON.stringify({ protocol: "mew/v0.4", id, ts, from: this.name, kind, payload, ...fields }));
    return id;
  }

  /** A chunk of a stream: text as text, bytes as bytes. */
  write(stream, data) {
    this.socket.send(typeof data === "string" ? `#${stream}#${data}` : Buffer.concat([Buffer.from(`#${stream}#`), data]));
  }

  /** The next thing that has come, or comes, for which the condition holds; what lies before it is passed over. */
  async next(what, holds) {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      while (this.read < this.seen.length) {
        const one = this.seen[this.read++];
        if (holds(one)) return one;
      }
      await this.wait(what, deadline);
    }
  }

  kind(kind, holds = () => true) {
    return this.next(`${kind} at ${this.name}`, (one) => one.kind === kind && holds(one));
  }

  frame(stream) {
    return this.next(`a frame of ${stream} at ${this.name}`, (one) => one.frame?.startsWith(`#${stream}#`));
  }

  /** The close code, once the connection has ended. */
  async end() {
    const deadline = Date.now() + PATIENCE;
    while (this.closed === null) await this.wait(`the end of ${this.name}`, deadline);
    return this.closed;
  }

  wait(what, deadline) {
    return new Promise((resolve, reject) => {
      const last = JSON.stringify(this.seen.slice(-5));
      const timer = setTimeout(() => reject(new Error(`${what} did not come; last seen: ${last}`)), deadline - Date.now());
      this.changed = () => {
        clearTimeout(timer);
        this.changed = () => {};
        resolve();
      };
    });
  }
}

module.exports = { Client };
