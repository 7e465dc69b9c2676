// How many tokens a second a server generates for 8 requests at once, beside one alone, and beside another server: all in each
// round, after one to warm up.
// Usage: node streams.mjs URL [ROUNDS] [TOKENS] [URL-OF-ANOTHER]
const [url, rounds = 5, tokens = 32, other] = process.argv.slice(2);
let number = 0;

async function request(server) {
    number++;
    const body = {
        prompt: Array.from({ length: 8 }, (_, i) => 5 + number * 7 + i),
        max_tokens: Number(tokens), ignore_eos: true, temperature: 0, cache_prompt: false,
    };
    const response = await fetch(`${server}/v1/completions`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()).usage.completion_tokens;
}

async function speed(server, count) {
    const start = performance.now();
    const generated = await Promise.all(Array.from({ length: count }, () => request(server)));
    return 1000 * generated.reduce((sum, each) => sum + each, 0) / (performance.now() - start);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const measured = { alone: [], together: [], others: [], times: [], ratios: [] };
for (let round = 0; round <= rounds; round++) {
    const one = await speed(url, 1);
    const eight = await speed(url, 8);
    const others = other ? await speed(other, 8) : NaN;
    if (round === 0) continue;
    measured.alone.push(one);
    measured.together.push(eight);
    measured.others.push(others);
    measured.times.push(eight / one);
    measured.ratios.push(eight / others);
    console.log(`1: ${one.toFixed(1)} t/s, 8: ${eight.toFixed(1)} t/s, ${(eight / one).toFixed(2)} times`
        + (other ? `, the other: ${others.toFixed(1)} t/s, ${(eight / others).toFixed(2)} of it` : ""));
}
console.log(`medians: ${median(measured.alone).toFixed(1)}, ${median(measured.together).toFixed(1)}, `
    + `${median(measured.times).toFixed(2)} times`
    + (other ? `; the other ${median(measured.others).toFixed(1)}, ${median(measured.ratios).toFixed(2)} of it` : ""));
