// Uses a server as programs do that are written for OpenAI's, with the official client. The first thing that is wrong ends it.
// Usage: node openai.mjs URL KEY
import assert from "node:assert/strict";
import OpenAI from "openai";

const [url, key] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const model = "any";
const messages = [{ role: "user", content: "harbor, n." }];

async function check(name, action) {
    await action();
    console.log(`ok: ${name}`);
}

async function refused(action, status, words) {
    await assert.rejects(action, (error) => {
        assert.ok(error instanceof OpenAI.APIError, String(error));
        assert.equal(error.status, status);
        assert.match(error.message, words);
        return true;
    });
}

await check("models", async () => {
    const found = [];
    for await (const each of await client.models.list()) found.push(each);
    assert.equal(found.length, 1);
    assert.equal(found[0].object, "model");
});

await check("a chat", async () => {
    const answer = await client.chat.completions.create({ model, messages, max_completion_tokens: 12, temperature: 0 });
    assert.equal(answer.choices.length, 1);
    assert.equal(answer.choices[0].message.role, "assistant");
    assert.ok(answer.choices[0].message.content.length > 0);
    assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
});

await check("a chat in events", async () => {
    const whole = await client.chat.completions.create({ model, messages, max_tokens: 12, temperature: 0 });
    const stream = await client.chat.completions.create({
        model, messages, max_tokens: 12, temperature: 0, stream: true, stream_options: { include_usage: true },
    });
    let text = "";
    let finish = null;
    let usage = null;
    for await (const chunk of stream) {
        text += chunk.choices[0]?.delta?.content ?? "";
        finish = chunk.choices[0]?.finish_reason ?? finish;
        usage = chunk.usage ?? usage;
    }
    assert.equal(text, whole.choices[0].message.content);
    assert.equal(finish, whole.choices[0].finish_reason);
    assert.equal(usage.completion_tokens, whole.usage.completion_tokens);
});

await check("the client's own accumulator of streams", async () => {
    const runner = client.chat.completions.stream({ model, messages, max_tokens: 8, temperature: 0 });
    const final = await runner.finalChatCompletion();
    assert.ok(final.choices[0].message.content.length > 0);
});

await check("an aborted stream", async () => {
    const stream = await client.chat.completions.create({
        model, messages, max_tokens: 1000, ignore_eos: true, stream: true,
    });
    for await (const chunk of stream) {
        if (chunk.choices[0]?.delta?.content) break;
    }
    stream.controller.abort();
});

await check("probabilities", async () => {
    const answer = await client.chat.completions.create({
        model, messages, max_tokens: 3, temperature: 0, logprobs: true, top_logprobs: 2,
    });
    const first = answer.choices[0].logprobs.content[0];
    assert.equal(first.top_logprobs.length, 2);
    assert.equal(first.token, first.top_logprobs[0].token);
    assert.ok(first.logprob < 0);
});

await check("a text", async () => {
    const answer = await client.completions.create({ model, prompt: "harbor, n.", max_tokens: 6, stop: ["\n"] });
    assert.equal(answer.object, "text_completion");
    let text = "";
    const stream = await client.completions.create({ model, prompt: "harbor, n.", max_tokens: 6, stream: true });
    for await (const event of stream) text += event.choices[0].text;
    assert.ok(text.length > 0);
});

await check("vectors, which this client asks for in base64", async () => {
    const packed = await client.embeddings.create({ model, input: ["harbor", "ship"] });
    const plain = await client.embeddings.create({ model, input: ["harbor", "ship"], encoding_format: "float" });
    assert.equal(packed.data.length, 2);
    assert.equal(packed.data[1].embedding.length, plain.data[1].embedding.length);
    packed.data[1].embedding.forEach((each, i) => assert.ok(Math.abs(each - plain.data[1].embedding[i]) < 1e-6));
});

await check("JSON that conforms to a schema", async () => {
    const schema = {
        type: "object",
        properties: { kind: { enum: ["ship", "harbor"] }, count: { type: "integer", minimum: 1, maximum: 9 } },
        required: ["kind", "count"],
        additionalProperties: false,
    };
    const response_format = { type: "json_schema", json_schema: { name: "answer", strict: true, schema } };
    for (const temperature of [0, 2]) {
        const answer = await client.chat.completions.create({ model, messages, temperature, response_format });
        const value = JSON.parse(answer.choices[0].message.content);
        assert.deepEqual(Object.keys(value), ["kind", "count"]);
        assert.ok(["ship", "harbor"].includes(value.kind) && value.count >= 1 && value.count <= 9);
    }
    const parsed = await client.chat.completions.parse({ model, messages, temperature: 0, response_format });
    assert.ok(parsed.choices[0].message.content.startsWith("{"));
    await refused(() => client.chat.completions.create({
        model, messages, response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "nothing" } } },
    }), 400, /nothing/);
});

await check("errors", async () => {
    await refused(() => client.chat.completions.create({ model, messages, n: 2 }), 400, /'n' must be 1/);
    await refused(() => client.chat.completions.create({ model, messages: [] }), 400, /messages/);
    await refused(() => client.chat.completions.create({ model, messages, temperature: -1 }), 400, /temperature/);
    const tools = [{ type: "function", function: { name: "now" } }];
    await refused(() => client.chat.completions.create({ model, messages, tools }), 400, /'tools' need a model/);
    await refused(() => client.completions.create({ model, prompt: "harbor ".repeat(9000) }), 400, /tokens/);
    await refused(() => client.get("/nothing"), 404, /nothing at this path/);
    const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: "wrong", maxRetries: 0 });
    await assert.rejects(() => stranger.models.list(), OpenAI.AuthenticationError);
});
