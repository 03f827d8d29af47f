//! Where the time of a task went: one row a step, waiting apart from work, long idle times cut out so that the rest can be seen.

use super::drawings::across;
use chimera_core::contracts::views::stories::{StepKind, StoryStep};
use maud::{Markup, html};

/// What a browser draws at once without effort, and a person still looks over.
pub(super) const ROWS_MAX: usize = 200;
/// Idle time above this part of what is drawn is cut.
const CUT_ABOVE_PART: i64 = 10;
/// What is left of it takes at most so many times the room of the work.
const IDLE_TIMES_WORK: i64 = 4;

/// From one step to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// Which of the story's steps begins it.
    pub step: usize,
    pub follows: Follows,
    /// Until the next step.
    pub lasts_ms: i64,
    /// Too long to be drawn to scale.
    pub is_cut: bool,
    /// Ten thousandths of the width.
    pub from: u64,
    pub wide: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// Somebody has it in hand.
    Work,
    /// It waits: for its turn, its time, or a person.
    Queue,
    /// Nothing more.
    End,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Waterfall {
    /// In the order of the steps.
    pub rows: Vec<Row>,
    /// Steps too short to be among the rows of a very long story.
    pub left_out: usize,
    pub whole_ms: i64,
    /// The step that was worked on longest.
    pub slowest: Option<usize>,
}

/// What goes on after a step, by its words.
fn follows(step: &StoryStep) -> Follows {
    let state = step.state.as_str();
    match step.kind {
        StepKind::Task if state == "in_progress" => Follows::Work,
        // The Judge has it.
        StepKind::Task if matches!(state, "review" | "in_review") => Follows::Work,
        StepKind::Result => Follows::Work,
        StepKind::Post if matches!(state, "sending") => Follows::Work,
        StepKind::Payment if matches!(state, "signed" | "broadcast" | "handed_over" | "reserved") => Follows::Work,
        StepKind::Trend
        | StepKind::Task
        | StepKind::Decision
        | StepKind::Review
        | StepKind::Answer
        | StepKind::Post
        | StepKind::Payment
        | StepKind::Ledger => Follows::Queue,
    }
}

impl Waterfall {
    pub(super) fn of(steps: &[StoryStep]) -> Self {
        let at = |step: &StoryStep| step.at.0.timestamp_millis();
        let mut rows = Vec::with_capacity(steps.len());
        for (index, step) in steps.iter().enumerate() {
            let next = steps.get(index + 1);
            // Clocks of several processes: a step may be written down a moment before its cause.
            let lasts_ms = next.map_or(0, |next| at(next).saturating_sub(at(step)).max(0));
            let follows = if next.is_none() { Follows::End } else { follows(step) };
            rows.push(Row { step: index, follows, lasts_ms, is_cut: false, from: 0, wide: 0 });
        }
        let whole_ms = rows.iter().map(|row| row.lasts_ms).fold(0, i64::saturating_add);
        let left_out = keep_longest(&mut rows);
        cut_idle(&mut rows);
        place(&mut rows);
        let drawn = rows.iter().filter(|row| row.follows == Follows::Work && row.lasts_ms > 0);
        let slowest = drawn.max_by_key(|row| (row.lasts_ms, std::cmp::Reverse(row.step))).map(|row| row.step);
        Self { rows, left_out, whole_ms, slowest }
    }
}

/// Drops the shortest of too many. How many those were.
fn keep_longest(rows: &mut Vec<Row>) -> usize {
    let left_out = rows.len().saturating_sub(ROWS_MAX);
    if left_out > 0 {
        rows.sort_by_key(|row| (std::cmp::Reverse(row.lasts_ms), row.step));
        rows.truncate(ROWS_MAX);
        rows.sort_by_key(|row| row.step);
    }
    left_out
}

/// What is long beside the whole; then, the longest first, what would still squeeze the work.
fn cut_idle(rows: &mut [Row]) {
    let sum = |rows: &[Row], is_counted: fn(&Row) -> bool| {
        rows.iter().filter(|row| is_counted(row)).map(|row| row.lasts_ms).fold(0, i64::saturating_add)
    };
    let is_idle: fn(&Row) -> bool = |row| !row.is_cut && row.follows != Follows::Work;
    let (whole_ms, work_ms) = (sum(rows, |_| true), sum(rows, |row| row.follows == Follows::Work));
    for row in rows.iter_mut().filter(|row| is_idle(row) && row.lasts_ms > whole_ms / CUT_ABOVE_PART) {
        row.is_cut = true;
    }
    while work_ms > 0 && sum(rows, is_idle) > work_ms.saturating_mul(IDLE_TIMES_WORK) {
        let Some(longest) = rows.iter_mut().filter(|row| is_idle(row)).max_by_key(|row| row.lasts_ms) else { return };
        longest.is_cut = true;
    }
}

/// Every cut is as wide as every other, and all of them together at most half of the whole.
fn place(rows: &mut [Row]) {
    let cuts = rows.iter().filter(|row| row.is_cut).count() as u64;
    let drawn_ms: i64 = rows.iter().filter(|row| !row.is_cut).map(|row| row.lasts_ms).fold(0, i64::saturating_add);
    let cut_wide = match (cuts, drawn_ms) {
        (0, _) => 0,
        (cuts, 0) => 10_000 / cuts,
        (cuts, _) => 800.min(5_000 / cuts),
    };
    let to_scale = 10_000 - cuts * cut_wide;
    let mut from = 0;
    for row in rows {
        row.from = from;
        row.wide = if row.is_cut { cut_wide } else { scaled(row.lasts_ms, to_scale, drawn_ms) };
        from = (from + row.wide).min(10_000);
    }
}

fn scaled(part_ms: i64, width: u64, whole_ms: i64) -> u64 {
    let wide = i128::from(part_ms) * i128::from(width) / i128::from(whole_ms.max(1));
    u64::try_from(wide).unwrap_or(0)
}

/// The row's part of the picture.
pub(super) fn bar(row: &Row) -> Markup {
    let (x, width) = (across(row.from), across(row.wide));
    let middle = across((row.from + row.wide / 2).clamp(800, 9_200));
    html! {
        svg.fall width="100%" height="16" role="img" aria-label=(told(row)) {
            line.fall-ground x1="0" y1="8" x2="100%" y2="8" {}
            @match (row.follows, row.is_cut) {
                (_, true) => {
                    line.fall-cut x1=(x) y1="8" x2=(across((row.from + row.wide).min(10_000))) y2="8" {}
                    text.fall-gap x=(middle) y="12" text-anchor="middle" { (span(row.lasts_ms)) }
                }
                (Follows::Work | Follows::Queue, false) if row.wide == 0 => { circle.fall-moment cx=(across(row.from.clamp(30, 9_970))) cy="8" r="2" {} }
                (Follows::Work, false) => { rect.fall-work x=(x) y="2" width=(width) height="12" {} }
                (Follows::Queue, false) => { rect.fall-queue x=(x) y="2" width=(width) height="12" fill="url(#hatch)" {} }
                (Follows::End, false) => { circle.fall-end cx=(across(row.from.clamp(60, 9_940))) cy="8" r="4" {} }
            }
        }
    }
}

fn told(row: &Row) -> String {
    match row.follows {
        Follows::Work => format!("worked on for {}", span(row.lasts_ms)),
        Follows::Queue => format!("waited {}", span(row.lasts_ms)),
        Follows::End => "the end".to_owned(),
    }
}

/// In the two largest units that it has.
pub(super) fn span(ms: i64) -> String {
    let (seconds, minutes) = (ms / 1_000, ms / 60_000);
    let two = |large: i64, unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large} {unit}"),
        small => format!("{large} {unit} {small} {small_unit}"),
    };
    match ms {
        ..1_000 => format!("{} ms", ms.max(0)),
        1_000..10_000 => format!("{}.{} s", seconds, ms % 1_000 / 100),
        10_000..60_000 => format!("{seconds} s"),
        60_000..3_600_000 => two(minutes, "min", seconds % 60, "s"),
        3_600_000..86_400_000 => two(minutes / 60, "h", minutes % 60, "min"),
        _ => two(minutes / 1_440, "d", minutes / 60 % 24, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chimera_core::contracts::UtcTime;
    use chrono::DateTime;

    /// Steps of a task by their states, with the milliseconds until the next one.
    fn steps(given: &[(&str, i64)]) -> Vec<StoryStep> {
        let mut at = 0;
        let mut steps = Vec::new();
        for (state, lasts_ms) in given {
            let time = UtcTime(DateTime::from_timestamp_millis(at).unwrap());
            steps.push(StoryStep {
                at: time,
                kind: StepKind::Task,
                state: (*state).to_owned(),
                told: String::new(),
                details: vec![],
                event: None,
            });
            at += lasts_ms;
        }
        steps
    }

    #[test]
    fn long_idle_time_is_cut_and_the_work_beside_it_is_to_be_seen() {
        let fall = Waterfall::of(&steps(&[
            ("pending", 9 * 3_600_000),
            ("in_progress", 4_000),
            ("pending", 100),
            ("in_progress", 6_000),
            ("complete", 0),
        ]));

        assert_eq!(fall.rows.iter().map(|row| row.is_cut).collect::<Vec<_>>(), [true, false, false, false, false]);
        assert!(fall.rows[3].wide > 5_000 && fall.rows[1].wide > 3_000, "{fall:?}");
        assert_eq!(fall.slowest, Some(3));
        let drawn = bar(&fall.rows[0]).into_string();
        assert!(drawn.contains("9 h") && drawn.contains("fall-cut"), "{drawn}");
    }

    #[test]
    fn an_idle_time_that_was_small_beside_another_one_is_cut_too() {
        let fall = Waterfall::of(&steps(&[
            ("pending", 36_000_000),
            ("in_progress", 2_000),
            ("returned", 600_000),
            ("in_progress", 2_000),
            ("complete", 0),
        ]));

        assert!(fall.rows[0].is_cut && fall.rows[2].is_cut, "{fall:?}");
    }

    #[test]
    fn work_is_never_cut_however_long_it_takes() {
        let fall = Waterfall::of(&steps(&[("pending", 1_000), ("in_progress", 86_400_000), ("complete", 0)]));

        assert!(fall.rows.iter().all(|row| !row.is_cut || row.follows == Follows::Queue), "{fall:?}");
        assert!(!fall.rows[1].is_cut && fall.rows[1].wide > 9_000, "{fall:?}");
    }

    #[test]
    fn bars_stand_one_after_another_and_stay_in_the_picture() {
        for given in [
            vec![("pending", 0)],
            vec![("pending", 5), ("in_progress", 0)],
            vec![("pending", 1), ("pending", 1), ("pending", 1)],
            vec![("in_progress", i64::MAX / 8_000_000), ("pending", 1), ("complete", 0)],
            vec![("pending", 700); 150],
        ] {
            let fall = Waterfall::of(&steps(&given));
            for pair in fall.rows.windows(2) {
                assert_eq!(pair[1].from, pair[0].from + pair[0].wide, "{given:?}");
            }
            assert!(fall.rows.iter().all(|row| row.from + row.wide <= 10_000), "{given:?}");
        }
    }

    #[test]
    fn of_a_very_long_story_the_longest_steps_are_drawn_in_their_order() {
        let mut given = vec![("in_progress", 1); 250];
        given[7].1 = 50_000;
        let fall = Waterfall::of(&steps(&given));

        assert_eq!((fall.rows.len(), fall.left_out), (ROWS_MAX, 50));
        assert!(fall.rows.iter().any(|row| row.step == 7));
        assert!(fall.rows.windows(2).all(|pair| pair[0].step < pair[1].step));
    }

    #[test]
    fn a_step_that_is_dated_before_the_one_before_it_lasts_no_time() {
        let mut given = steps(&[("pending", 1_000), ("in_progress", 1_000), ("complete", 0)]);
        given[1].at = UtcTime(DateTime::from_timestamp_millis(-5_000).unwrap());

        assert_eq!(Waterfall::of(&given).rows[0].lasts_ms, 0);
    }

    #[test]
    fn times_are_told_in_their_two_largest_units() {
        for (ms, told) in [
            (-4, "0 ms"),
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1.0 s"),
            (9_999, "9.9 s"),
            (10_000, "10 s"),
            (60_000, "1 min"),
            (61_000, "1 min 1 s"),
            (3_600_000, "1 h"),
            (3_660_000, "1 h 1 min"),
            (86_400_000, "1 d"),
            (90_000_000, "1 d 1 h"),
        ] {
            assert_eq!(span(ms), told);
        }
    }
}
