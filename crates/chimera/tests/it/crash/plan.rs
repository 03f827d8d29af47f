//! What happens in one run, made from its seed alone.

use crate::{
    books::{Asset, End, Wanted},
    fault_proxy::Fault,
    properties::generator::Dice,
};
use chimera_core::ports::watched;
use std::fmt;

/// Every step of a transfer that changes something here or elsewhere. The first runs die at each of them in turn.
pub(crate) const STEPS: [&str; 10] = [
    "transfers.reserve",
    "chain.prepare",
    "transfers.assign",
    "signer.sign",
    "transfers.record_signed",
    "chain.broadcast",
    "transfers.mark_broadcast",
    "chain.receipt",
    "transfers.settle",
    "transfers.release",
];
/// Each step, before and after.
pub(crate) const POINTS: u64 = 2 * STEPS.len() as u64;

#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) blocks: Blocks,
    /// How the node behaves until the last life.
    pub(crate) fault: Fault,
    /// How each life but the last one ends.
    pub(crate) ends: Vec<LifeEnd>,
    pub(crate) wanted: Vec<Wanted>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Blocks {
    /// A block for every transaction.
    Instant,
    EverySecond,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LifeEnd {
    /// Kills itself at this fail point.
    At(Point),
    /// Killed so long after the node has seen so many requests.
    Moment { requests: usize, then_ms: u64 },
    /// Asked to stop, once every call was answered.
    Stop,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) step: &'static str,
    pub(crate) side: &'static str,
    call: usize,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.step, self.side, self.call)
    }
}

impl Plan {
    /// `seed` counts on from run to run: any `POINTS` of them in a row die at every point.
    pub(crate) fn of_crash(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let round = seed / POINTS;
        let blocks = if (seed + round).is_multiple_of(2) { Blocks::Instant } else { Blocks::EverySecond };
        let fault = if seed % 4 == 3 { Fault::BAD[dice.below(Fault::BAD.len())] } else { Fault::None };
        let place = usize::try_from(seed % POINTS).unwrap();
        let first = Point { step: STEPS[place / 2], side: ["before", "after"][place % 2], call: 1 + dice.below(3) };
        let second = if dice.below(2) == 0 { moment(&mut dice) } else { LifeEnd::At(any_point(&mut dice)) };
        let ends = match first.step {
            // Only one transfer is released in a calm run.
            "transfers.release" => vec![LifeEnd::At(Point { call: 1, ..first }), second],
            _ => vec![LifeEnd::At(first), second],
        };
        Self { seed, blocks, fault, ends, wanted: wanted(&mut dice) }
    }

    pub(crate) fn of_moment(seed: u64) -> Self {
        let mut plan = Self::of_crash(seed);
        let mut dice = Dice(seed.wrapping_mul(31));
        plan.ends = vec![moment(&mut dice), moment(&mut dice)];
        plan
    }

    /// Nobody dies; only the node is bad.
    pub(crate) fn of_fault(seed: u64, fault: Fault, blocks: Blocks) -> Self {
        Self { seed, blocks, fault, ends: vec![LifeEnd::Stop], wanted: wanted(&mut Dice(seed)) }
    }
}

fn moment(dice: &mut Dice) -> LifeEnd {
    LifeEnd::Moment { requests: dice.below(130), then_ms: dice.next() % 30 }
}

fn any_point(dice: &mut Dice) -> Point {
    let steps: Vec<&'static str> = watched::steps().collect();
    Point { step: steps[dice.below(steps.len())], side: ["before", "after"][dice.below(2)], call: 1 + dice.below(4) }
}

/// Some of each asset, and one that the wallet cannot pay although policy and budget allow it.
fn wanted(dice: &mut Dice) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for index in 0_u64..12 {
        let (asset, first) = if index % 3 == 0 { (Asset::Eth, 1_000_000_000) } else { (Asset::Usdc, 1_000) };
        let amount = first + u128::from(index * 1_000) + u128::from(dice.next() % 1_000);
        wanted.push(Wanted { to: address(dice), task_id: dice.uuid_v4(), ..Wanted::new(asset, amount, End::Paid) });
    }
    let too_much = Wanted::new(Asset::Eth, super::lane::WEI_AT_START * 5, End::Refused("insufficient_balance"));
    wanted.push(Wanted { to: address(dice), task_id: dice.uuid_v4(), ..too_much });
    wanted
}

fn address(dice: &mut Dice) -> String {
    format!("0x{:016x}{:016x}{:08x}", dice.next(), dice.next(), dice.next() >> 32)
}
