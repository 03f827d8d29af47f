//! What a text of ours looks like to those who know meaning and not only words.

use async_trait::async_trait;

/// Asked of what is about to go out. May take its time and may fail, since whoever answers may be far away; each implementation bounds both.
#[async_trait]
pub trait ContentCheck: Send + Sync {
    async fn check(&self, text: &str) -> Result<ContentSigns, Unchecked>;
}

#[async_trait]
impl<Check: Fn(&str) -> ContentSigns + Send + Sync> ContentCheck for Check {
    async fn check(&self, text: &str) -> Result<ContentSigns, Unchecked> {
        Ok(self(text))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContentSigns {
    /// The topic that a person decides about, by its name, when the text touches one.
    pub sensitive_topic: Option<&'static str>,
    pub is_offensive: bool,
}

/// Nobody knows what the text is: it is a person's, and never goes through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("its meaning could not be checked ({0})")]
pub struct Unchecked(pub String);
