//! Whatever can go one way or another asks here, so that every way is gone once.

use std::sync::{Mutex, MutexGuard};

/// One run's choices: those it was told, then the first of each further one.
#[derive(Default)]
pub struct Oracle(Mutex<Run>);

#[derive(Default)]
struct Run {
    told: Vec<usize>,
    /// What was chosen, of how many.
    made: Vec<(usize, usize)>,
}

impl Oracle {
    pub fn telling(choices: Vec<usize>) -> Self {
        Self(Mutex::new(Run { told: choices, made: Vec::new() }))
    }

    /// A number below `ways`.
    pub fn choose(&self, ways: usize) -> usize {
        let mut run = self.run();
        let chosen = run.told.get(run.made.len()).copied().unwrap_or(0);
        assert!(chosen < ways, "a run repeats itself up to where it was told to differ");
        run.made.push((chosen, ways));
        chosen
    }

    pub fn made(&self) -> Vec<usize> {
        self.run().made.iter().map(|(chosen, _)| *chosen).collect()
    }

    /// What to tell the next run, which differs from this one as late as possible. `None`: every way was gone.
    pub fn next(&self) -> Option<Vec<usize>> {
        let run = self.run();
        let last = run.made.iter().rposition(|(chosen, ways)| chosen + 1 < *ways)?;
        let mut choices: Vec<usize> = run.made[..last].iter().map(|(chosen, _)| *chosen).collect();
        choices.push(run.made[last].0 + 1);
        Some(choices)
    }

    fn run(&self) -> MutexGuard<'_, Run> {
        self.0.lock().unwrap()
    }
}
