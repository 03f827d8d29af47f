//! Measures the embedded composer and long-term memory, the latter beside numpy's exact scan in the same run; `bench/content` starts it.
//!
//!     bench_content PYTHON NUMPY_SCAN    the whole, as Markdown on standard output; fails when a limit is missed

mod composing;
mod remembering;
mod trusting;

use anyhow::{Context, Result, bail};
use chimera as _; // for the program's allocator
use remembering::Beside;
use std::{io::Write, process::ExitCode};

/// Memories that are searched.
const SIZES: [usize; 2] = [10_000, 100_000];
/// Ours over numpy's.
const RATIO_MAX: f64 = 1.0;
/// Of memories of texts: more than are searched exactly, so that lists are.
const OF_TEXTS: usize = 200_000;
/// Of the true nearest, as many must be found.
const RECALL_MIN: f64 = 0.95;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [python, script] = arguments.as_slice() else { bail!("usage: bench_content PYTHON NUMPY_SCAN") };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "| memories, {} dimensions, nearest 10 | ours, ms | numpy's exact scan, ms | ratio | limit |\n|---:|---:|---:|---:|---:|",
        remembering::DIMENSIONS
    )?;
    let mut is_held = true;
    for size in SIZES {
        let numpy_ms = |size| remembering::numpy_ms(python, script, size).context("numpy's scan");
        let Beside { ours_ms, numpy_ms, ratio } = runtime.block_on(remembering::beside_numpy(size, numpy_ms))?;
        is_held &= ratio <= RATIO_MAX;
        writeln!(out, "| {size} | {ours_ms:.2} | {numpy_ms:.2} | {ratio:.2} | {RATIO_MAX:.2} |")?;
    }
    let composed = composing::measure();
    writeln!(out, "\n| texts by the embedded composer | a second |\n|---|---:|")?;
    writeln!(out, "| from sources never seen before | {:.0} |", composed.fresh_per_second)?;
    writeln!(out, "| from sources seen before | {:.0} |", composed.known_per_second)?;
    writeln!(
        out,
        "\n| memories of texts, nearest 10 | ours, ms | the first search, which reads them in, ms | of the true nearest | limit |\n|---:|---:|---:|---:|---:|"
    )?;
    let searched = runtime.block_on(remembering::texts(OF_TEXTS))?;
    is_held &= searched.recall >= RECALL_MIN;
    writeln!(out, "| {OF_TEXTS} | {:.2} | {:.0} | {:.3} | {RECALL_MIN:.2} |", searched.ms, searched.first_ms, searched.recall)?;
    is_held &= trusting::measure(&mut out)?;
    Ok(if is_held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
