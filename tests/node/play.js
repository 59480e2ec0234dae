"use strict";
// Plays what upstream's clients do against a running gateway, and prints what it sees: one JSON line a step.
// Input, a JSON document: {"url": "ws://…", "space": …, "tokens": {"ana": …, "bob": …}}.

const fs = require("node:fs");
const { Client } = require("./client");

const { url, space, tokens } = JSON.parse(fs.readFileSync(0, "utf8"));
const tell = (step, saw) => process.stdout.write(`${JSON.stringify({ step, ...saw })}\n`);
const correlates = (id) => (one) => one.correlation_id?.includes(id);
const says = (text) => (one) => one.payload.text === text;

async function enter(participant) {
  const name = `client-${Date.now()}-${participant}`;
  const client = await Client.connect(`${url}/`, { name, join: { space, token: tokens[participant] } });
  const welcome = await client.kind("system/welcome");
  tell(`${participant} joins`, { alias: name, first: client.seen[0].kind, welcome });
  return client;
}

/** The calculator is an agent that the gateway starts: perhaps it is not here yet. */
async function meet(client, participant) {
  const isHere = (one) => one.id === participant;
  const [welcome] = client.seen;
  if (welcome.payload.participants.some(isHere)) return;
  await client.kind("system/presence", (one) => one.payload.event === "join" && isHere(one.payload.participant));
}

async function heartbeat(client) {
  const pong = new Promise((resolve) => client.socket.once("pong", resolve));
  client.socket.ping("still there?");
  tell("a ping is answered", { data: (await pong).toString() });
}

async function chat(ana, bob) {
  ana.send("chat", { text: "Good morning!", format: "plain" });
  tell("ana sees her own chat", { envelope: await ana.kind("chat", says("Good morning!")) });
  tell("bob sees it", { envelope: await bob.kind("chat", says("Good morning!")) });
  bob.send("chat", { text: "Morning, Ana." }, { to: [ana.name] });
  tell("ana is answered under her alias", { envelope: await ana.kind("chat", says("Morning, Ana.")) });
}

async function multiply(client) {
  const params = { name: "multiply", arguments: { a: 6, b: 7 } };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  return client.send("mcp/request", call, { to: ["calculator"] });
}

async function tool(ana) {
  const id = await multiply(ana);
  tell("a tool answers", { call: id, envelope: await ana.kind("mcp/response", correlates(id)) });
}

async function grant(ana, bob) {
  const refused = await multiply(bob);
  tell("bob may not call", { call: refused, envelope: await bob.kind("system/error", correlates(refused)) });
  const payload = { recipient: "bob", capabilities: [{ kind: "mcp/request" }], reason: "He knows what he does." };
  const given = ana.send("capability/grant", payload, { to: ["bob"] });
  tell("bob is welcomed anew", { grant: given, envelope: await bob.kind("system/welcome") });
  bob.send("capability/grant-ack", { status: "accepted" }, { correlation_id: [given] });
  tell("ana sees his thanks", { grant: given, envelope: await ana.kind("capability/grant-ack") });
  const id = await multiply(bob);
  tell("bob may call", { call: id, envelope: await bob.kind("mcp/response", correlates(id)) });
}

async function stream(ana, bob) {
  const payload = { direction: "upload", content_type: "application/json", description: "readings", unit: "°C" };
  const request = ana.send("stream/request", payload, { to: ["gateway"] });
  const open = await ana.kind("stream/open", correlates(request));
  const id = open.payload.stream_id;
  tell("a stream opens", { request, envelope: open });
  ana.write(id, '{"at":1,"value":"21,5 °C"}');
  ana.write(id, Buffer.from([0, 255, 35, 10, 128]));
  tell("bob reads text", await bob.frame(id));
  tell("bob reads bytes", await bob.frame(id));
  bob.write(id, "mine too");
  tell("bob may not write", { envelope: await bob.kind("system/error") });
  const close = ana.send("stream/close", { stream_id: id, reason: "complete" }, { to: ["gateway"] });
  tell("the stream closes", { request: close, envelope: await bob.kind("stream/close") });
  ana.write(id, "too late");
  tell("nothing more of it", { envelope: await ana.kind("system/error") });
}

async function invite(ana) {
  const payload = { participant_id: "guest", initial_capabilities: [{ kind: "chat" }], reason: "She knows the harbour." };
  const id = ana.send("space/invite", payload);
  const ack = await ana.kind("space/invite-ack", correlates(id));
  tell("a guest is invited", { invite: id, envelope: { ...ack, payload: { ...ack.payload, token: typeof ack.payload.token } } });
  const headers = { Authorization: `Bearer ${ack.payload.token}` };
  const guest = await Client.connect(`${url}/ws?space=${space}`, { name: "guest", headers });
  tell("the guest joins", { welcome: await guest.kind("system/welcome") });
  guest.send("chat", { text: "Hello from the quay." });
  tell("ana hears the guest", { envelope: await ana.kind("chat", says("Hello from the quay.")) });
  guest.socket.close(1000);
  tell("the guest leaves", { code: await guest.end() });
  tell("ana sees it go", { envelope: await ana.kind("system/presence", (one) => one.payload.event === "leave") });
}

async function refusals(bob) {
  const id = bob.send("space/kick", { participant_id: "ana" });
  tell("bob may not kick", { envelope: await bob.kind("system/error", correlates(id)) });
  const stranger = await Client.connect(`${url}/`, { name: "client-1", join: { space, token: "not-a-token" } });
  tell("a stranger is shut out", { code: await stranger.end() });
}

async function main() {
  const ana = await enter("ana");
  await meet(ana, "calculator");
  const bob = await enter("bob");
  await heartbeat(ana);
  await chat(ana, bob);
  await tool(ana);
  await grant(ana, bob);
  await stream(ana, bob);
  await invite(ana);
  await refusals(bob);
  ana.socket.close(1000);
  tell("ana leaves", { code: await ana.end() });
  tell("bob sees her go", { envelope: await bob.kind("system/presence", (one) => one.payload.event === "leave") });
  bob.socket.close(1000);
  await bob.end();
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
