//! A trend over time as an SVG: columns of items, when agents were told, what it is called. It follows the reader's choice of light or dark,
//! holds no script, no link and no font of its own, and what strangers wrote stands in it as text alone.

use super::{Course, Span};
use chrono::{DateTime, Utc};
use std::fmt::Write;

/// What the picture tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart<'a> {
    /// Fetched text: it is cut and escaped.
    pub label: &'a str,
    /// One line below it, likewise.
    pub remark: &'a str,
    pub course: &'a Course,
    /// When agents were alerted to it.
    pub told_at: &'a [DateTime<Utc>],
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 44.0;
/// Between two columns, of the width of a step.
const GAP_SHARE: f64 = 0.18;
/// Characters that a line has room for; those of scripts with wide letters count twice.
const LABEL_WIDTH_MAX: usize = 62;
const REMARK_WIDTH_MAX: usize = 92;
const TIME_TICKS: usize = 5;
const COUNT_TICKS_MAX: usize = 4;

/// Names begin with `trend-`, so that a page with the picture in it keeps its own.
const STYLE: &str = ".trend-paper{fill:#fff}.trend-ink{fill:#1c2733}.trend-faint{fill:#5b6875}.trend-column{fill:#0f766e}\
    .trend-line{stroke:#dde3e9}.trend-axis{stroke:#8b97a3}.trend-told{stroke:#b4530a;stroke-dasharray:3 3}.trend-mark{fill:#b4530a}\
    @media (prefers-color-scheme: dark){.trend-paper{fill:#12181f}.trend-ink{fill:#e8edf2}.trend-faint{fill:#9aa7b4}.trend-column{fill:#2dd4bf}\
    .trend-line{stroke:#28323c}.trend-axis{stroke:#5b6875}.trend-told{stroke:#fb923c}.trend-mark{fill:#fb923c}}";

/// The same chart gives the same bytes.
pub fn svg(chart: &Chart<'_>) -> String {
    let label = escaped(&cut(chart.label, LABEL_WIDTH_MAX));
    let remark = escaped(&cut(chart.remark, REMARK_WIDTH_MAX));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui, 'Segoe UI', 'Liberation Sans', sans-serif\">\n\
         <title>{label}</title>\n<desc>{remark}</desc>\n<style>{STYLE}</style>\n\
         <rect class=\"trend-paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"10\"/>\n\
         <text class=\"trend-ink\" x=\"{LEFT}\" y=\"36\" font-size=\"20\" font-weight=\"600\">{label}</text>\n\
         <text class=\"trend-faint\" x=\"{LEFT}\" y=\"58\" font-size=\"13\">{remark}</text>\n"
    );
    let top_count = draw_counts(&mut out, chart.course.most());
    draw_columns(&mut out, chart.course, top_count);
    draw_times(&mut out, chart.course.span);
    draw_told(&mut out, chart);
    out.push_str("</svg>\n");
    out
}

fn x_of(share: f64) -> f64 {
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

/// Lines across at whole numbers; answers the number at the top.
fn draw_counts(out: &mut String, most: usize) -> usize {
    let step = most.max(1).div_ceil(COUNT_TICKS_MAX);
    let top_count = most.max(1).div_ceil(step) * step;
    for count in (0..=top_count).step_by(step) {
        let y = y_of(count, top_count);
        let class = if count == 0 { "trend-axis" } else { "trend-line" };
        let end = WIDTH - RIGHT;
        put(out, format_args!("<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"));
        let (x, baseline) = (LEFT - 8.0, y + 4.0);
        put(
            out,
            format_args!("<text class=\"trend-faint\" x=\"{x}\" y=\"{baseline:.1}\" font-size=\"12\" text-anchor=\"end\">{count}</text>"),
        );
    }
    top_count
}

fn y_of(count: usize, top_count: usize) -> f64 {
    let height = HEIGHT - TOP - BOTTOM;
    TOP + height - height * count as f64 / top_count as f64
}

fn draw_columns(out: &mut String, course: &Course, top_count: usize) {
    let step = (WIDTH - LEFT - RIGHT) / course.counts.len() as f64;
    let width = step * (1.0 - GAP_SHARE);
    for (place, count) in course.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (x, y) = (LEFT + step * (place as f64 + GAP_SHARE / 2.0), y_of(*count, top_count));
        let height = HEIGHT - BOTTOM - y;
        let corner = (width / 4.0).min(3.0);
        put(
            out,
            format_args!(
                "<rect class=\"trend-column\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{corner:.1}\"/>"
            ),
        );
    }
}

fn draw_times(out: &mut String, span: Span) {
    for place in 0..TIME_TICKS {
        let share = place as f64 / (TIME_TICKS - 1) as f64;
        let anchor = match place {
            0 => "start",
            last if last == TIME_TICKS - 1 => "end",
            _ => "middle",
        };
        let (x, y, time) = (x_of(share), HEIGHT - BOTTOM + 20.0, span.at(share).format("%-d %b %H:%M"));
        let zone = if place == TIME_TICKS - 1 { " UTC" } else { "" };
        put(
            out,
            format_args!(
                "<text class=\"trend-faint\" x=\"{x:.1}\" y=\"{y}\" font-size=\"12\" text-anchor=\"{anchor}\">{time}{zone}</text>"
            ),
        );
    }
}

/// A dashed line for each alert, with a mark above the columns, and what the marks are.
fn draw_told(out: &mut String, chart: &Chart<'_>) {
    let span = chart.course.span;
    let told: Vec<&DateTime<Utc>> = chart.told_at.iter().filter(|at| (span.start..=span.end).contains(at)).collect();
    for at in &told {
        let (x, top, centre, bottom) = (x_of(span.share(**at)), TOP - 4.0, TOP - 8.0, HEIGHT - BOTTOM);
        let time = at.format("%-d %b %H:%M UTC");
        put(out, format_args!("<line class=\"trend-told\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>"));
        put(out, format_args!("<circle class=\"trend-mark\" cx=\"{x:.1}\" cy=\"{centre}\" r=\"4\"><title>told {time}</title></circle>"));
    }
    if !told.is_empty() {
        let (centre, x, baseline) = (HEIGHT - 11.0, LEFT + 14.0, HEIGHT - 7.0);
        put(out, format_args!("<circle class=\"trend-mark\" cx=\"{}\" cy=\"{centre}\" r=\"4\"/>", LEFT + 4.0));
        put(out, format_args!("<text class=\"trend-faint\" x=\"{x}\" y=\"{baseline}\" font-size=\"11\">when an agent was told</text>"));
    }
}

fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("a String takes every line");
}

/// Cut to what fits into the line, by the width of its letters.
fn cut(text: &str, width_max: usize) -> String {
    let width_of = |c: char| if c >= '\u{1100}' && !('\u{2000}'..='\u{2bff}').contains(&c) { 2 } else { 1 };
    if text.chars().map(width_of).sum::<usize>() <= width_max {
        return text.to_owned();
    }
    let mut width = 0;
    let fits = |c: &char| {
        width += width_of(*c);
        width < width_max
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// As character data: nothing in it can open an element, close one or stand for another character. XML has no control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
