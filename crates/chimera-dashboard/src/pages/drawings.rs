//! Small pictures as inline SVG. Sizes are attributes and places are percentages, since the content policy takes no style attributes
//! and a stretched view box would stretch hatching and letters too.

use maud::{Markup, html};

/// A place on a line of ten thousand parts, as SVG takes it.
pub(super) fn across(ten_thousandths: u64) -> String {
    format!("{}.{:02}%", ten_thousandths / 100, ten_thousandths % 100)
}

const SPARK_WIDTH: usize = 120;
const SPARK_HEIGHT: u64 = 28;
/// Room for the line's own width and for the last point.
const SPARK_EDGE: u64 = 3;

/// A line over the hours, its last point marked, with the baseline at nothing.
pub(super) fn sparkline(hourly: &[u64], label: &str) -> Markup {
    let most = hourly.iter().copied().max().unwrap_or(0).max(1);
    let (left, steps) = (3, hourly.len().saturating_sub(1).max(1));
    let base = SPARK_HEIGHT - SPARK_EDGE;
    let place = |(hour, count): (usize, &u64)| {
        let rise = u128::from(*count) * u128::from(base - SPARK_EDGE) / u128::from(most);
        (left + hour * (SPARK_WIDTH - 2 * left) / steps, u128::from(base) - rise)
    };
    let points: Vec<(usize, u128)> = hourly.iter().enumerate().map(place).collect();
    let line = points.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ");
    html! {
        svg.spark width=(SPARK_WIDTH) height=(SPARK_HEIGHT) viewBox="0 0 120 28" role="img" aria-label=(label) {
            line.spark-base x1="0" y1=(base) x2=(SPARK_WIDTH) y2=(base) {}
            polyline.spark-line points=(line) fill="none" {}
            @if let Some((x, y)) = points.last() { circle.spark-last cx=(x) cy=(y) r="2.5" {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_begins_at_the_left_and_its_highest_hour_at_the_top() {
        let line = sparkline(&[0, 5, 10], "items an hour").into_string();
        assert!(line.contains(r#"points="3,25 60,14 117,3""#), "{line}");
        assert!(line.contains(r#"cx="117" cy="3""#), "{line}");
    }

    #[test]
    fn a_line_of_one_hour_of_none_and_of_huge_numbers_is_drawn() {
        assert!(!sparkline(&[], "").into_string().contains("circle"));
        assert!(sparkline(&[0], "").into_string().contains(r#"points="3,25""#));
        assert!(sparkline(&[u64::MAX, 0], "").into_string().contains(r#"points="3,3 117,25""#));
    }
}
