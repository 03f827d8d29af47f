//! What happens in one attack, made from its seed alone.

use super::{
    node::{Does, REFUSALS, Reads, Says, Sends},
    stage::{Limits, REORG_DEPTH_MAX, Token},
};
use crate::{books::Asset, crash::plan::STEPS, properties::generator::Dice};
use std::fmt;

pub(crate) const NODES: usize = 3;
pub(crate) const AGENTS: [&str; 2] = ["selam", "tariku"];
/// Of one day: room for two or three of the payments that are asked for.
pub(crate) const LIMITS: Limits = Limits { wei: 1_000_000_000, units: 1_000_000 };

#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    pub(crate) seed: u64,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A new task.
    Ask {
        agent: usize,
        asset: Asset,
        amount: u128,
    },
    /// An earlier one, counted from the first.
    AskAgain {
        task: usize,
    },
    /// Likewise, from another process beside the one that serves.
    AskBeside {
        task: usize,
    },
    /// What a node does with signed bytes from now on.
    Sends {
        node: usize,
        sends: Sends,
    },
    /// The same for the next ones only.
    SendsNext {
        node: usize,
        sends: Sends,
    },
    SendsAfter {
        node: usize,
        ms: u64,
    },
    /// What a node says of the chain from now on.
    Reads {
        node: usize,
        reads: Reads,
    },
    Honest {
        node: usize,
    },
    Mine {
        blocks: u64,
    },
    UnMine {
        blocks: u64,
    },
    DeliverHeld,
    /// The pool forgets everything.
    EmptyPool,
    /// What the token's contract does from now on.
    TokenBecomes(Token),
    /// Somebody else uses the wallet's next nonce.
    Foreign {
        agent: usize,
        wei: u128,
    },
    /// From another process, of the whole fleet.
    Freeze,
    Unfreeze,
    /// `kill -9`, and a new start.
    Kill,
    /// The same, and the new one dies at this point.
    DieAt {
        point: String,
    },
    /// The data folder is copied while nothing runs.
    Copy,
    /// That copy takes the place of the data folder.
    PutBack,
    Reconcile {
        agent: usize,
    },
    /// A person wants an earlier task's transfer cancelled.
    Cancel {
        task: usize,
    },
    Wait {
        ms: u64,
    },
}

impl Schedule {
    pub(crate) fn of(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let agents = 1 + dice.below(AGENTS.len());
        let length = 7 + dice.below(8);
        let mut steps: Vec<Step> = (0..length).map(|_| step(&mut dice, agents)).collect();
        weave(&mut steps, plot(&mut dice, agents), &mut dice);
        Self { seed, steps }
    }

    /// Whether something that is in a block may be in none later.
    pub(crate) fn un_mines(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::UnMine { .. }))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().enumerate().try_for_each(|(number, step)| writeln!(f, "  {:2} {step:?}", number + 1))
    }
}

/// What chance alone seldom brings about in this order; half of all schedules have nothing of the kind.
fn plot(dice: &mut Dice, agents: usize) -> Vec<Step> {
    let agent = dice.below(agents);
    let all_nodes = |sends: Sends| (0..NODES).map(move |node| Step::Sends { node, sends });
    let refuse = Sends::refuses(REFUSALS[dice.below(REFUSALS.len())]);
    match dice.below(8) {
        // An old folder.
        0 => vec![
            Step::Copy,
            ask(dice, agent),
            Step::Mine { blocks: 1 },
            Step::PutBack,
            Step::AskAgain { task: dice.below(3) },
            ask(dice, agent),
        ],
        // A lost answer, a crash, a refusal by everybody, and what was lost arrives after all.
        1 | 2 => {
            let lost = Step::SendsNext { node: dice.below(NODES), sends: Sends::HOLDS_AND_IS_SILENT };
            let dies = Step::DieAt {
                point: format!(
                    "{}:{}:1",
                    ["chain.broadcast", "transfers.mark_broadcast"][dice.below(2)],
                    ["before", "after"][dice.below(2)]
                ),
            };
            let first = [dies, lost, ask(dice, agent)].into_iter().skip(dice.below(2));
            let mut steps: Vec<Step> = first.chain(all_nodes(refuse)).chain([Step::Kill, Step::DeliverHeld]).collect();
            steps.extend((0..NODES).map(|node| Step::Honest { node }));
            steps.extend([ask(dice, agent), Step::Mine { blocks: 1 }]);
            steps
        }
        // A payment that is paid, un-paid, and refused from then on.
        3 => {
            let paid = [ask(dice, agent), Step::Mine { blocks: 1 }, Step::Wait { ms: 500 }, Step::UnMine { blocks: 1 }];
            paid.into_iter().chain(all_nodes(refuse)).chain([Step::Wait { ms: 5_500 }, ask(dice, agent)]).collect()
        }
        _ => Vec::new(),
    }
}

/// The steps of the plot in their order, among the others.
fn weave(steps: &mut Vec<Step>, plot: Vec<Step>, dice: &mut Dice) {
    let mut at = 0;
    for step in plot {
        at += dice.below((steps.len() - at) / 2 + 1);
        steps.insert(at, step);
        at += 1;
    }
}

fn step(dice: &mut Dice, agents: usize) -> Step {
    let (agent, node) = (dice.below(agents), dice.below(NODES));
    match dice.below(100) {
        0..=25 => ask(dice, agent),
        26..=29 => Step::AskAgain { task: dice.below(4) },
        30..=31 => Step::AskBeside { task: dice.below(4) },
        32..=42 => Step::Sends { node, sends: sends(dice) },
        43 => Step::TokenBecomes([Token::Honest, Token::ReturnsFalse, Token::Reverts][dice.below(3)]),
        44..=51 => Step::SendsNext { node, sends: sends(dice) },
        52 => Step::SendsAfter { node, ms: 200 + dice.next() % 800 },
        53..=60 => Step::Reads { node, reads: reads(dice) },
        61..=63 => Step::Honest { node },
        64..=72 => Step::Mine { blocks: 1 + dice.next() % 3 },
        73..=75 => Step::UnMine { blocks: 1 + dice.next() % REORG_DEPTH_MAX },
        76..=78 => Step::DeliverHeld,
        79..=80 => Step::EmptyPool,
        81..=82 => Step::Foreign { agent, wei: 1 + u128::from(dice.next() % 1_000) },
        83..=84 => Step::Freeze,
        85..=86 => Step::Unfreeze,
        87..=88 => Step::Kill,
        89..=90 => Step::DieAt { point: point(dice) },
        91 => Step::Copy,
        92 => Step::PutBack,
        93..=94 => Step::Reconcile { agent },
        95..=96 => Step::Cancel { task: dice.below(4) },
        _ => Step::Wait { ms: 1_000 + dice.next() % 5_000 },
    }
}

fn ask(dice: &mut Dice, agent: usize) -> Step {
    let asset = if dice.below(3) == 0 { Asset::Usdc } else { Asset::Eth };
    let percent = 20 + u128::from(dice.next() % 60);
    Step::Ask { agent, asset, amount: LIMITS.of(asset) / 100 * percent }
}

fn sends(dice: &mut Dice) -> Sends {
    let does = [Does::PassesOn, Does::Drops, Does::Holds][dice.below(3)];
    let says = match dice.below(6) {
        0 => Says::TheTruth,
        1 | 2 => Says::Nothing,
        3 => Says::Unavailable,
        _ => Says::Refusal(REFUSALS[dice.below(REFUSALS.len())]),
    };
    Sends { does, says }
}

fn reads(dice: &mut Dice) -> Reads {
    match dice.below(8) {
        0 => Reads::Slow { ms: 50 + dice.next() % 200 },
        1 => Reads::OtherChain,
        2 => Reads::NoReceipts,
        3 => Reads::CountsTooLow,
        4 => Reads::CountsTooHigh,
        5 => Reads::Stale { blocks: 1 + dice.next() % 3 },
        6 => Reads::DearFees { gwei: 2 + dice.next() % 30 },
        _ => Reads::Dead,
    }
}

fn point(dice: &mut Dice) -> String {
    let step = STEPS[dice.below(STEPS.len())];
    let side = ["before", "after"][dice.below(2)];
    format!("{step}:{side}:{}", 1 + dice.below(2))
}
