//! Whether a server can hold its model to a schema: until it refuses one, it is taken to.

use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Default)]
pub struct SchemaSupport {
    has_refused: AtomicBool,
}

impl SchemaSupport {
    pub fn is_expected(&self) -> bool {
        !self.has_refused.load(Ordering::Relaxed)
    }

    pub fn note_refusal(&self) {
        self.has_refused.store(true, Ordering::Relaxed);
    }
}

/// Whether a refusal is about the schema: the field by one of its names, or what servers call the mode.
pub fn names_schema(reason: &str) -> bool {
    const NAMES: [&str; 6] = ["response_format", "json_schema", "output_config", "output_format", "structured output", "guided_json"];
    let lowered = reason.to_lowercase();
    NAMES.iter().any(|name| lowered.contains(name))
}
