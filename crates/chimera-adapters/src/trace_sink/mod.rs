//! Collectors of traces behind the `TraceSink` port.

mod otlp;

pub use otlp::{NotACollector, OtlpSink};
