//! What a text of ours looks like to those who know meaning and not only words.

/// Deterministic. Costs as much as reading the text once; asked of what is about to go out.
pub trait ContentCheck: Send + Sync {
    fn check(&self, text: &str) -> ContentSigns;
}

impl<Check: Fn(&str) -> ContentSigns + Send + Sync> ContentCheck for Check {
    fn check(&self, text: &str) -> ContentSigns {
        self(text)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContentSigns {
    /// The topic that a person decides about, by its name, when the text touches one.
    pub sensitive_topic: Option<&'static str>,
    pub is_offensive: bool,
}
