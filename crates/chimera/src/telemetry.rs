//! Logs, to standard error: standard output belongs to MCP and to data.

use chimera_core::domain::hidden::visible_line;
use std::io::IsTerminal;
use tracing_subscriber::{
    EnvFilter,
    field::RecordFields,
    fmt::{
        self, FormatFields,
        format::{DefaultFields, Writer},
    },
    prelude::*,
};

/// `filter` as in `CHIMERA_LOG=info,chimera=debug`; without one, warnings and errors.
pub fn start(filter: Option<&str>) {
    let filter = EnvFilter::try_new(filter.unwrap_or("warn")).unwrap_or_else(|_| EnvFilter::new("warn"));
    let lines =
        fmt::layer().fmt_fields(VisibleFields).with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal()).with_target(false);
    // Only a second start fails, and then the first one's choice stands.
    let _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
}

/// Messages and fields, with whatever hides or moves text written out, and each event on one line: much of what is logged was said by
/// strangers, and none of it may look like a line of ours.
struct VisibleFields;

impl<'w> FormatFields<'w> for VisibleFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> std::fmt::Result {
        let mut said = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut said), fields)?;
        writer.write_str(&visible_line(&said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_a_stranger_says_stays_one_visible_line() {
        let kept = Kept::default();
        let writer = kept.clone();
        let lines = fmt::layer().fmt_fields(VisibleFields).with_writer(move || writer.clone()).with_ansi(false).without_time();
        let hostile = "gone\r\n2026-11-17 ERROR forged\u{1b}[2J\u{202E}\u{9b}";

        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), || {
            let _span = tracing::warn_span!("reading", uri = hostile).entered();
            tracing::warn!(reason = hostile, "upstream said {hostile}");
        });

        let logged = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(logged.lines().count(), 1, "{logged:?}");
        assert!(!logged.trim_end().chars().any(chimera_core::domain::hidden::is_hidden), "{logged:?}");
        assert!(logged.matches("forged").count() == 3 && logged.contains("\\u{202E}"), "{logged:?}");
    }
}
