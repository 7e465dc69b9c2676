// How many tokens a second a server generates for 8 requests at once, beside one alone: both in each round, after one to warm up.
// Usage: node streams.mjs URL [ROUNDS] [TOKENS]
const [url, rounds = 5, tokens = 32] = process.argv.slice(2);
let number = 0;

async function request() {
    number++;
    const body = {
        prompt: Array.from({ length: 8 }, (_, i) => 5 + number * 7 + i),
        max_tokens: Number(tokens), ignore_eos: true, temperature: 0, cache_prompt: false,
    };
    const response = await fetch(`${url}/v1/completions`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()).usage.completion_tokens;
}

async function speed(count) {
    const start = performance.now();
    const generated = await Promise.all(Array.from({ length: count }, request));
    return 1000 * generated.reduce((sum, each) => sum + each, 0) / (performance.now() - start);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const alone = [];
const together = [];
for (let round = 0; round <= rounds; round++) {
    const one = await speed(1);
    const eight = await speed(8);
    if (round === 0) continue;
    alone.push(one);
    together.push(eight);
    console.log(`1: ${one.toFixed(1)} t/s, 8: ${eight.toFixed(1)} t/s, ${(eight / one).toFixed(2)} times`);
}
console.log(`medians: ${median(alone).toFixed(1)}, ${median(together).toFixed(1)}, ratio of the medians `
    + (median(together) / median(alone)).toFixed(2));
