//! Measures perception beside its peer and its limit in the same run; `bench/perception` starts it.
//!
//!     bench_perception PYTHON ONNX_MINILM MINILM_WEIGHTS    the whole, as Markdown on standard output; fails when a limit is missed

mod items;
mod ours;
mod peer;

use anyhow::{Result, bail};
use chimera as _; // for the program's allocator
use chimera_adapters::embedder::SentenceEmbedder;
use chimera_core::{perception::vectors::dot, ports::embedder::Embedder};
use ours::{GOAL, Perceiver, texts};
use peer::Peer;
use std::{io::Write, process::ExitCode, sync::Arc, time::Instant};

/// Items of a round, all of them new. Rounds have items of their own.
const FRESH_ITEMS: usize = 400;
/// Odd, so that there is a median.
const ROUNDS: usize = 9;
/// A poll shows so many items, of which so many are new since the last one.
const POLLED_ITEMS: usize = 300;
const POLLED_NEW_ITEMS: usize = 30;
const POLLS: usize = 10;
/// Items that the window holds already.
const WINDOWS: [usize; 2] = [1_000, 100_000];
/// New items of a call over such a window.
const CALL_ITEMS: usize = 200;

/// Ours over the peer's, where items come again from poll to poll.
const PEER_RATIO_MIN: f64 = 3.0;
/// The whole over bare embedding.
const LIMIT_RATIO_MIN: f64 = 0.85;
/// Cost of an item in the largest window over that in the smallest.
const GROWTH_MAX: f64 = 2.0;
const AGREEMENT_MIN: f32 = 0.999;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [python, script, weights] = arguments.as_slice() else { bail!("usage: bench_perception PYTHON ONNX_MINILM MINILM_WEIGHTS") };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut peer = Peer::start(python, script, weights)?;
    let fresh = runtime.block_on(measure_fresh(&mut peer))?;
    peer.stop()?;
    let polled = runtime.block_on(measure_polls())?;
    let growth = runtime.block_on(measure_growth())?;
    report(&fresh, polled, growth)
}

/// Medians of items a second, and of ratios within a round.
struct Fresh {
    whole: f64,
    bare: f64,
    peer: f64,
    whole_over_bare: f64,
    agreement_min: f32,
}

async fn measure_fresh(peer: &mut Peer) -> Result<Fresh> {
    let (mut whole, mut bare, mut peers, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut agreement_min = 1.0_f32;
    for round in 0..ROUNDS {
        let numbers = round * FRESH_ITEMS..(round + 1) * FRESH_ITEMS;
        let perceiver = Perceiver::new(warm_embedder()).await?;
        let whole_seconds = perceiver.see(&numbers.clone().collect::<Vec<usize>>()).await?;
        let texts = texts(numbers);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedder = warm_embedder();
        let began = Instant::now();
        let vectors = embedder.embed(&texts);
        let bare_seconds = began.elapsed().as_secs_f64();
        let scored = peer.score(GOAL, &texts)?;
        for (theirs, ours) in scored.vectors.iter().zip(&vectors) {
            // Ours has the meaning at half of its weight.
            let ours = &ours[..embedder.meaning_dimensions()];
            agreement_min = agreement_min.min(dot(theirs, ours) / (dot(theirs, theirs) * dot(ours, ours)).sqrt());
        }
        whole.push(FRESH_ITEMS as f64 / whole_seconds);
        bare.push(FRESH_ITEMS as f64 / bare_seconds);
        peers.push(FRESH_ITEMS as f64 / scored.seconds);
        ratios.push(bare_seconds / whole_seconds);
    }
    Ok(Fresh { whole: median(whole), bare: median(bare), peer: median(peers), whole_over_bare: median(ratios), agreement_min })
}

/// Items a second, where each poll shows again most of what the last one did.
async fn measure_polls() -> Result<f64> {
    let perceiver = Perceiver::new(warm_embedder()).await?;
    let mut seconds = 0.0;
    for poll in 0..POLLS {
        let first = 1_000_000 + poll * POLLED_NEW_ITEMS;
        seconds += perceiver.see(&(first..first + POLLED_ITEMS).collect::<Vec<usize>>()).await?;
    }
    Ok((POLLS * POLLED_ITEMS) as f64 / seconds)
}

/// Milliseconds that an item of a call costs, one for each window.
async fn measure_growth() -> Result<[f64; 2]> {
    let embedder = warm_embedder();
    let pool = texts(2_000_000..2_000_200);
    let pool = embedder.embed(&pool.iter().map(String::as_str).collect::<Vec<&str>>());
    let mut costs = [0.0; 2];
    for (window, cost) in WINDOWS.into_iter().zip(&mut costs) {
        let perceiver = Perceiver::new(warm_embedder()).await?;
        perceiver.fill(3_000_000..3_000_000 + window, &pool, embedder.as_ref()).await?;
        let mut times = Vec::new();
        for round in 0..ROUNDS {
            let first = 4_000_000 + round * CALL_ITEMS;
            times.push(perceiver.see(&(first..first + CALL_ITEMS).collect::<Vec<usize>>()).await? * 1_000.0 / CALL_ITEMS as f64);
        }
        *cost = median(times);
    }
    Ok(costs)
}

/// With its weights unpacked, and without any item.
fn warm_embedder() -> Arc<SentenceEmbedder> {
    let embedder = SentenceEmbedder::default();
    embedder.embed(&["warm up"]);
    Arc::new(embedder)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn report(fresh: &Fresh, polled: f64, growth: [f64; 2]) -> Result<ExitCode> {
    let mut out = std::io::stdout();
    let mut is_held = true;
    let mut verdict = |holds: bool| {
        is_held &= holds;
        if holds { "PASS" } else { "FAIL" }
    };
    writeln!(out, "| items a second | | wanted | verdict |\n|---|--:|---|---|")?;
    writeln!(out, "| peer: the language model in onnxruntime, every item | {:.0} | | |", fresh.peer)?;
    writeln!(out, "| limit: bare embedding of the same items | {:.0} | | |", fresh.bare)?;
    let (limit, peer) = (fresh.whole_over_bare, polled / fresh.peer);
    let limit_verdict = verdict(limit >= LIMIT_RATIO_MIN);
    writeln!(
        out,
        "| Chimera, every item new | {:.0} | {limit:.2} of the limit, at least {LIMIT_RATIO_MIN} | {limit_verdict} |",
        fresh.whole
    )?;
    writeln!(out, "| – beside the peer | {:.2} times | | |", fresh.whole / fresh.peer)?;
    let peer_verdict = verdict(peer >= PEER_RATIO_MIN);
    writeln!(
        out,
        "| Chimera, feeds polled {POLLS} times | {polled:.0} | {peer:.1} times the peer, at least {PEER_RATIO_MIN} | {peer_verdict} |"
    )?;
    let agreement_verdict = verdict(fresh.agreement_min >= AGREEMENT_MIN);
    writeln!(
        out,
        "| smallest cosine of our vectors and the peer's | {:.5} | at least {AGREEMENT_MIN} | {agreement_verdict} |\n",
        fresh.agreement_min
    )?;
    let grown = growth[1] / growth[0];
    let growth_verdict = verdict(grown <= GROWTH_MAX);
    writeln!(out, "| items in the window | ms for each of {CALL_ITEMS} new items | verdict |\n|--:|--:|---|")?;
    writeln!(out, "| {} | {:.2} | |", WINDOWS[0], growth[0])?;
    writeln!(out, "| {} | {:.2} | {grown:.2} times, at most {GROWTH_MAX}: {growth_verdict} |\n", WINDOWS[1], growth[1])?;
    writeln!(
        out,
        "A call of the skill, from the text of the resources to its answer, with its SQLite store: parse, clean, flag, remember, embed, score, cluster, weigh. \
         The peer tokenizes, embeds and takes the cosine to the goal, in batches sorted by length, with every core. \
         Polled: a poll shows {POLLED_ITEMS} items, {POLLED_NEW_ITEMS} of them new; the peer scores every item of every poll, we embed an item once. \
         Rates are medians of {ROUNDS} rounds; a ratio to the limit compares within a round. The skill looks at the newest 5,000 items of a window."
    )?;
    Ok(if is_held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
